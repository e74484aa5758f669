// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReadWriteLock;

/** The locks of the application's compute node that is running at the time of the call. Thread-safe. */
final class NodeLock implements DistributedReadWriteLock {
    private final DecLockNode node;

    NodeLock(DecLockNode node) {
        this.node = node;
    }

    @Override
    public ReadWriteLock lock(String name) {
        return node.running().lock(name);
    }

    @Override
    public LockHandle acquire(LockRequest request) throws InterruptedException {
        return node.running().acquire(request);
    }

    @Override
    public LockHandle acquire(LockRequest request, LockOwner owner) throws InterruptedException {
        return node.running().acquire(request, owner);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
        return node.running().tryAcquire(request);
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, LockOwner owner) {
        return node.running().acquireAsync(request, owner);
    }
}
