// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockOrder;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import org.jspecify.annotations.Nullable;

/** A lock as it is; tests change what they need. */
class DelegatingProtocol implements LockProtocol {
    private final LockProtocol lock;

    DelegatingProtocol(LockProtocol lock) {
        this.lock = lock;
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public int words() {
        return lock.words();
    }

    @Override
    public boolean isUnused(long[] words) {
        return lock.isUnused(words);
    }

    @Override
    public boolean has(LockMode mode) {
        return lock.has(mode);
    }

    @Override
    public LockOrder order() {
        return lock.order();
    }

    @Override
    public boolean outlivesClients() {
        return lock.outlivesClients();
    }

    @Override
    public LockClient client(int number, LockWorld world) {
        return lock.client(number, world);
    }

    @Override
    public @Nullable LockServer server(LockWorld world) {
        return lock.server(world);
    }

    @Override
    public int serverWords() {
        return lock.serverWords();
    }
}
