// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.transaction;

import io.declock.LockHandle;
import io.declock.LockLostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A lock that stays held from the end of the method that took it until the caller's transaction has ended. Used by one thread at a time.
 */
public final class KeptLock implements TransactionSynchronization {
    private static final Logger LOG = LoggerFactory.getLogger(KeptLock.class);

    private final LockHandle handle;
    private final boolean guardsCommit;
    private final String method;

    private KeptLock(LockHandle handle, boolean guardsCommit, String method) {
        this.handle = handle;
        this.guardsCommit = guardsCommit;
        this.method = method;
    }

    /** {@return whether this thread has a transaction whose end can be awaited} */
    public static boolean isPossible() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /**
     * Keeps a lock until this thread's transaction has ended.
     *
     * @param handle the lock, which this class closes
     * @param guardsCommit whether the transaction is committed only while the lock is held
     * @param method the method that took it, for messages
     */
    public static void keep(LockHandle handle, boolean guardsCommit, String method) {
        TransactionSynchronizationManager.registerSynchronization(new KeptLock(handle, guardsCommit, method));
    }

    /**
     * Called when this thread's transaction is about to be committed.
     *
     * @throws LockLostException if a lock that is kept for it has been lost
     */
    static void checkCommit() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return;
        }
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof KeptLock kept && kept.guardsCommit && !kept.handle.isValid()) {
                throw new LockLostException(
                        "The transaction is rolled back: it was about to be committed after the lock of " + kept.method
                                + " had been lost. Nothing was written; the call may be tried again. " + kept.handle);
            }
        }
    }

    /** After the other synchronizations, which may still write. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void afterCompletion(int status) {
        try {
            handle.close();
        } catch (LockLostException e) {
            if (status != STATUS_ROLLED_BACK) {
                LOG.warn(
                        "{} had lost its lock when the transaction of its caller was completed; only the fencing token protected what was"
                                + " written: {}",
                        method,
                        e.getMessage());
            }
        }
    }
}
