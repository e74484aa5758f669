// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.LockMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Locks of the literature, all of which are found at the beginning, so that no client has to wait for that. Thread-safe. */
final class LiteratureLocks implements Locks {
    private final FabricClients clients;
    private final long[] addresses;

    /**
     * Finds locks.
     *
     * @param count how many locks
     */
    LiteratureLocks(FabricClients clients, int count) {
        this.clients = clients;
        List<CompletableFuture<Long>> found = new ArrayList<>();
        for (int lock = 0; lock < count; lock++) {
            found.add(clients.find("lock\0" + lock));
        }
        this.addresses = found.stream().mapToLong(CompletableFuture::join).toArray();
    }

    @Override
    public Turns turns(int client) {
        return clients.turns(client);
    }

    @Override
    public void acquire(int client, int lock, LockMode mode, int leases, Runnable granted) {
        clients.acquire(client, addresses[lock], mode, leases, granted);
    }

    @Override
    public long heldUntil(int client, int lock) {
        return clients.automaton(client).heldUntil(addresses[lock]);
    }

    @Override
    public int turnsLost(int client, int lock) {
        return clients.automaton(client).turnsLost(addresses[lock]);
    }

    @Override
    public void abandon(int client, int lock) {
        clients.automaton(client).abandon(addresses[lock]);
    }

    @Override
    public void release(int client, int lock, Runnable released) {
        clients.release(client, addresses[lock], released);
    }

    @Override
    public void close() {
        clients.close();
    }
}
