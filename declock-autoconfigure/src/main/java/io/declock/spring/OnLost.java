// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

/**
 * What happens when a locked method returned normally although its lock had been lost meanwhile (session lapsed, memory node
 * lost, ceiling on the hold reached). If the method threw, its exception is what the caller gets, in either case.
 */
public enum OnLost {
    /** Throw {@link io.declock.LockLostException}, so that the caller does not take the result for protected. */
    THROW,
    /** Log a warning and return the result: for methods whose writes check the fencing token. */
    LOG
}
