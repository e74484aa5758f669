// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Redisson on one Redis server, with its default settings: {@code lock()} without a lease, so that its watchdog renews, and waiting
 * by publish/subscribe. One client per process, as documented.
 */
public final class RedissonPeer implements LockUnderTest {
    /** Its locks. */
    public enum Kind {
        /** {@code getLock}, the plain one. */
        PLAIN,
        /** {@code getFairLock}. */
        FAIR,
        /** {@code getReadWriteLock}. */
        READ_WRITE
    }

    private final RedissonClient client;
    private final Kind kind;
    private final PerName<RReadWriteLock> readWriteLocks;
    private final PerName<RLock> exclusiveLocks;

    /** Connects. */
    public RedissonPeer(String address, Kind kind) {
        Config config = new Config();
        config.useSingleServer().setAddress(address);
        this.client = Redisson.create(config);
        this.kind = kind;
        this.readWriteLocks = new PerName<>(client::getReadWriteLock);
        this.exclusiveLocks = new PerName<>(kind == Kind.FAIR ? client::getFairLock : client::getLock);
    }

    /** Returns the same with values, which Redis has under other keys. */
    public LockUnderTest withValues() {
        return new ValueOf(this, new ValueOf.Store() {
            @Override
            public @Nullable String get(String name) {
                return client.<String>getBucket("value:" + name, StringCodec.INSTANCE)
                        .get();
            }

            @Override
            public void set(String name, String value) {
                client.<String>getBucket("value:" + name, StringCodec.INSTANCE).set(value);
            }
        });
    }

    @Override
    public Held lock(String name, LockMode mode) {
        RLock lock;
        if (kind == Kind.READ_WRITE) {
            RReadWriteLock both = readWriteLocks.get(name);
            lock = mode.isExclusive() ? both.writeLock() : both.readLock();
        } else {
            lock = exclusiveLocks.get(name);
        }
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
