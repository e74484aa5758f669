// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson on one Redis server, with its default settings: {@code lock()} without a lease, so that its watchdog renews, and waiting
 * by publish/subscribe. One client per process, as documented.
 */
public final class RedissonPeer implements LockUnderTest {
    private final RedissonClient client;
    private final boolean fair;
    private final PerName<RReadWriteLock> readWriteLocks;
    private final PerName<RLock> fairLocks;

    /**
     * Connects.
     *
     * @param fair whether to use {@code getFairLock} instead of {@code getReadWriteLock}
     */
    public RedissonPeer(String address, boolean fair) {
        Config config = new Config();
        config.useSingleServer().setAddress(address);
        this.client = Redisson.create(config);
        this.fair = fair;
        this.readWriteLocks = new PerName<>(client::getReadWriteLock);
        this.fairLocks = new PerName<>(client::getFairLock);
    }

    @Override
    public Held lock(String name, LockMode mode) {
        RLock lock;
        if (fair) {
            lock = fairLocks.get(name);
        } else {
            RReadWriteLock both = readWriteLocks.get(name);
            lock = mode.isExclusive() ? both.writeLock() : both.readLock();
        }
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
