// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Curator's recipes on one ZooKeeper server, one client per process and one recipe object per name shared by its threads, as
 * documented.
 */
public final class CuratorPeer implements LockUnderTest {
    private final CuratorFramework client;
    private final boolean readWrite;
    private final PerName<InterProcessMutex> mutexes;
    private final PerName<InterProcessReadWriteLock> readWriteLocks;

    /**
     * Connects.
     *
     * @param readWrite whether to use the read/write lock instead of the mutex
     */
    public CuratorPeer(String address, boolean readWrite) throws InterruptedException {
        client = CuratorFrameworkFactory.newClient(address, new ExponentialBackoffRetry(1000, 3));
        client.start();
        if (!client.blockUntilConnected(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("not connected to ZooKeeper at " + address);
        }
        this.readWrite = readWrite;
        this.mutexes = new PerName<>(name -> new InterProcessMutex(client, "/bench/mutex/" + name));
        this.readWriteLocks = new PerName<>(name -> new InterProcessReadWriteLock(client, "/bench/rw/" + name));
    }

    @Override
    public Held lock(String name, LockMode mode) throws Exception {
        InterProcessLock lock;
        if (readWrite) {
            InterProcessReadWriteLock both = readWriteLocks.get(name);
            lock = mode.isExclusive() ? both.writeLock() : both.readLock();
        } else {
            lock = mutexes.get(name);
        }
        lock.acquire();
        return lock::release;
    }

    @Override
    public void close() {
        client.close();
    }
}
