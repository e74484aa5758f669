// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The JDK's lock, which only threads of one JVM share: it shows what a lock without a network can reach. */
public final class JvmPeer implements LockUnderTest {
    private final PerName<ReentrantReadWriteLock> locks;

    /** Makes locks with that fairness. */
    public JvmPeer(boolean fair) {
        locks = new PerName<>(name -> new ReentrantReadWriteLock(fair));
    }

    @Override
    public Held lock(String name, LockMode mode) {
        ReentrantReadWriteLock both = locks.get(name);
        Lock lock = mode.isExclusive() ? both.writeLock() : both.readLock();
        lock.lock();
        return lock::unlock;
    }

    @Override
    public boolean isAwaited(String name) {
        return locks.get(name).hasQueuedThreads();
    }

    @Override
    public void close() {}
}
