// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.transaction;

import io.declock.spring.DecLockContext;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls back transactions that would be committed after the lock they ran under was lost. It listens immediately before the commit, not
 * as a synchronization, because synchronizations run earlier and may still write. Thread-safe.
 */
public final class LockedCommits implements TransactionExecutionListener {
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        DecLockContext.checkCommit();
        KeptLock.checkCommit();
    }
}
