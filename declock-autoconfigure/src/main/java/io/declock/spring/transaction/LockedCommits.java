// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.transaction;

import io.declock.spring.DecLockContext;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls transactions back that would be committed after the lock they ran under was lost. It listens before the commit itself, not as
 * a synchronization, because those run earlier and may still write. Thread-safe.
 */
public final class LockedCommits implements TransactionExecutionListener {
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        DecLockContext.checkCommit();
    }
}
