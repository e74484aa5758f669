// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.monitor.MemoryNodeView;
import io.declock.node.ComputeNode;
import io.declock.spring.support.HandleFuture;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks of the application's compute node, whichever one is running. An acquisition that waited in vain for a memory node
 * that is not there fails with a {@link MemoryNodeUnavailableException}: nobody else had the lock. Thread-safe.
 */
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
        ComputeNode running = node.running();
        try {
            return running.acquire(request);
        } catch (LockNotGrantedException e) {
            throw explained(running, request, e);
        }
    }

    @Override
    public LockHandle acquire(LockRequest request, LockOwner owner) throws InterruptedException {
        ComputeNode running = node.running();
        try {
            return running.acquire(request, owner);
        } catch (LockNotGrantedException e) {
            throw explained(running, request, e);
        }
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
        ComputeNode running = node.running();
        Optional<LockHandle> handle = running.tryAcquire(request);
        if (handle.isEmpty()) {
            MemoryNodeUnavailableException unavailable = unavailable(running, request, null);
            if (unavailable != null) {
                throw unavailable;
            }
        }
        return handle;
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, LockOwner owner) {
        ComputeNode running = node.running();
        return HandleFuture.mapFailure(
                running.acquireAsync(request, owner),
                failure -> failure instanceof LockNotGrantedException refused
                        ? explained(running, request, refused)
                        : failure);
    }

    private static RuntimeException explained(ComputeNode node, LockRequest request, LockNotGrantedException refused) {
        MemoryNodeUnavailableException unavailable = unavailable(node, request, refused);
        return unavailable == null ? refused : unavailable;
    }

    private static @Nullable MemoryNodeUnavailableException unavailable(
            ComputeNode node, LockRequest request, @Nullable LockNotGrantedException refused) {
        for (String name : request.names().keySet()) {
            Optional<MemoryNodeView> home = node.monitor().memoryNodeOf(name);
            if (home.isEmpty() || home.get().state() != MemoryNodeView.State.UP) {
                String where = home.map(view -> "memory node " + view.address() + ", which is " + view.state()
                                + (view.problem().isEmpty() ? "" : ": " + view.problem()))
                        .orElse("a memory node that is not known yet, because not every memory node has been joined");
                return new MemoryNodeUnavailableException(
                        "Lock '" + name + "' was not granted: it lives on " + where, refused);
            }
        }
        return null;
    }
}
