// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import io.declock.DistributedReadWriteLock;
import io.declock.LockNames;
import java.time.Duration;
import java.util.Objects;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Locks of Spring Integration by key. A key is a string; its lock is the write lock of the name {@code prefix + key}, which {@code
 * DistributedReadWriteLock} and {@code @DecLocked} can take too.
 *
 * <ul>
 *   <li><b>Holds belong to threads</b> and are reentrant. Locks that were obtained for one key are one lock, also those of several
 *       registries with the same prefix.
 *   <li><b>Waiters are queued</b> and get the lock in the order of their arrival, in all processes, within the bounds of the fairness
 *       settings. No waiter polls.
 *   <li><b>A time to live is a ceiling</b>, and no lease. The process renews its lease by itself, and a dead process loses its locks
 *       after {@code declock.lease}. A lock that was acquired with a time to live ends after that time at the latest, although its process
 *       lives: it is released, and its holder has lost it. Without one a lock is held until it is unlocked, so that no default has to be
 *       longer than the longest critical section. A nested acquisition may have a time to live of its own; one without shares that of
 *       the acquisition around it. The lock is held until the last of them has ended.
 *   <li><b>A lost lock is reported.</b> {@code unlock()} of a lock that was lost (its session ended, or its time to live was over) throws
 *       {@link java.util.ConcurrentModificationException}. Every attempt of a thread to lock again what it has lost and not unlocked
 *       throws {@link io.declock.LockLostException}. {@code unlock()} by a thread that does not hold the lock throws {@link
 *       IllegalMonitorStateException}.
 *   <li><b>An unavailable memory node is no busy lock.</b> {@code lock()} waits for it; {@code tryLock} throws {@link
 *       io.declock.MemoryNodeUnavailableException} if the memory node does not come back in time, and returns false only if another
 *       holder has the lock.
 *   <li><b>A reader cannot become the writer.</b> A thread that has the read lock of the name waits for nothing: {@code lock()} throws
 *       {@link io.declock.UpgradeRefusedException}, {@code tryLock} returns false.
 * </ul>
 *
 * <p>The registry keeps nothing of a key that no thread holds, and has no cache to expire. Thread-safe.
 */
public final class DecLockRegistry implements RenewableLockRegistry<DistributedLock> {
    /** Prefix of the locks' names unless another one is given. */
    public static final String DEFAULT_PREFIX = "integration:";

    private final DistributedReadWriteLock locks;
    private final String prefix;

    /**
     * Makes a registry with the prefix {@link #DEFAULT_PREFIX}.
     *
     * @param locks the locks
     */
    public DecLockRegistry(DistributedReadWriteLock locks) {
        this(locks, DEFAULT_PREFIX);
    }

    /**
     * Makes a registry.
     *
     * @param locks the locks
     * @param prefix what the names of its locks begin with, so that keys do not meet names that other code locks; may be empty
     */
    public DecLockRegistry(DistributedReadWriteLock locks, String prefix) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.prefix = Objects.requireNonNull(prefix, "prefix");
    }

    /**
     * {@return the lock of a key} The lock has no state of its own: one that was obtained earlier or on another thread is the same lock.
     *
     * @param lockKey the key, a string
     * @throws IllegalArgumentException if the key is no string, because only a text is the same lock in every process
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return new KeyLock(key(lockKey));
    }

    /**
     * Checks that the calling thread still holds a lock. The lease is renewed without this call, so that a hold without a time to live has
     * nothing to renew. A time to live begins anew, with its former length.
     *
     * @param lockKey the key
     * @throws IllegalMonitorStateException if the thread does not hold the lock
     * @throws IllegalStateException if the thread has lost the lock
     */
    @Override
    public void renewLock(Object lockKey) {
        held(lockKey).renew(null);
    }

    /**
     * As {@link #renewLock(Object)}; a time to live begins anew with another length. A hold without a time to live stays without one.
     *
     * @param lockKey the key
     * @param ttl the time to live from now on
     * @throws IllegalMonitorStateException if the thread does not hold the lock
     * @throws IllegalStateException if the thread has lost the lock
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        held(lockKey).renew(Objects.requireNonNull(ttl, "ttl"));
    }

    /**
     * {@return the fencing token of the calling thread's hold: greater than the token of every holder before} A resource that stores the
     * greatest token and refuses smaller ones is safe from a holder that does not know of its loss yet.
     *
     * @param lockKey the key
     * @throws IllegalMonitorStateException if the thread does not hold the lock
     */
    public long fencingToken(Object lockKey) {
        return held(lockKey).fencingToken();
    }

    private ThreadHold held(Object lockKey) {
        return ThreadHolds.get(key(lockKey));
    }

    private ThreadHolds.Key key(Object lockKey) {
        if (lockKey instanceof String key) {
            return new ThreadHolds.Key(locks, prefix + key);
        }
        throw new IllegalArgumentException(
                "the key of a lock must be a string, because other processes must know the same key, but this is "
                        + (lockKey == null ? "null" : "a " + lockKey.getClass().getName()));
    }

    @Override
    public String toString() {
        return "DecLockRegistry[prefix " + LockNames.quoted(prefix) + "]";
    }
}
