// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** DecLock's own locks, by name, through its public interface; each client is an owner. Thread-safe. */
final class DecLockLocks implements Locks {
    private static final String NAMES = "application/";
    /** Longer than anybody waits unless something is broken. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final DistributedReadWriteLock locks;
    private final FabricLink link;
    private final List<Client> clients = new ArrayList<>();

    /** A client with what it holds. */
    private final class Client {
        private final LockOwner owner;
        private final Turns turns = new Turns(link::fail);
        private final Map<Integer, LockHandle> held = new ConcurrentHashMap<>();

        Client(int index) {
            this.owner = LockOwner.named("client " + index);
        }
    }

    DecLockLocks(DistributedReadWriteLock locks, FabricLink link, int count) {
        this.locks = locks;
        this.link = link;
        for (int i = 0; i < count; i++) {
            clients.add(new Client(i));
        }
    }

    @Override
    public Turns turns(int client) {
        return clients.get(client).turns;
    }

    @Override
    public void acquire(int client, int lock, LockMode mode, int leases, Runnable granted) {
        Client own = clients.get(client);
        LockRequest request = LockRequest.of(NAMES + lock, mode).waitTime(PATIENCE);
        locks.acquireAsync(request, own.owner).whenComplete((handle, failure) -> {
            if (failure != null) {
                link.fail(failure);
            } else {
                own.held.put(lock, handle);
                own.turns.run(granted);
            }
        });
    }

    /** {@inheritDoc} A process renews its one lease all the while. */
    @Override
    public long heldUntil(int client, int lock) {
        return Long.MAX_VALUE;
    }

    @Override
    public int turnsLost(int client, int lock) {
        return 0;
    }

    @Override
    public void abandon(int client, int lock) {
        throw new UnsupportedOperationException("a process fails with all its locks, or with none");
    }

    /** {@inheritDoc} The release may travel still; DecLock lets its client acquire the lock again at once. */
    @Override
    public void release(int client, int lock, Runnable released) {
        Client own = clients.get(client);
        own.turns.run(() -> {
            Objects.requireNonNull(own.held.remove(lock), "the lock is not held")
                    .close();
            released.run();
        });
    }

    /** The data's session is its own; the locks belong to the caller. */
    @Override
    public void close() {
        link.close();
    }
}
