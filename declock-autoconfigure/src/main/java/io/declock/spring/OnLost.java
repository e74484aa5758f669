// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

/**
 * What happens when a plain locked method returned normally although its lock had been lost meanwhile (session lapsed, memory node
 * lost, ceiling on the hold reached). If the method threw an exception, the caller always gets that exception.
 */
public enum OnLost {
    /**
     * Throw {@link io.declock.LockLostException}, so that the caller does not rely on the result. Transactions that the method runs
     * are not committed once the lock is lost, but rolled back.
     */
    THROW,
    /**
     * Roll back: a transaction that the method runs is committed only while the lock is held. Otherwise it is rolled back and {@link
     * io.declock.LockLostException} is thrown, so that the caller knows that nothing was written and may try again. If the lock is lost
     * after the commit, a warning is logged and the result is returned. A method that committed no transaction is treated as with
     * {@link #THROW}. For methods that return neither a stage nor a reactive type.
     *
     * <p>The lock may still be lost between the check and the commit; where that matters, let the writes check the fencing token too.
     */
    ROLL_BACK,
    /** Log a warning and return the result: for methods whose writes check the fencing token. Transactions are committed. */
    LOG
}
