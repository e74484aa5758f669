// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockInterruptedException;
import io.declock.LockNames;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * Locks of ShedLock by name. The lock of a name is the write lock of the name {@code prefix + name}, which {@code
 * DistributedReadWriteLock} and {@code @DecLocked} can take too.
 *
 * <ul>
 *   <li><b>Nobody waits.</b> The provider asks once. The answer is empty if another task has the lock, also one of the same thread. If a
 *       memory node is unavailable, the call throws {@link io.declock.MemoryNodeUnavailableException}, and ShedLock does not run the
 *       task: nobody knows then whether another task has the lock.
 *   <li><b>{@code lockAtMostFor} is a ceiling</b>, counted from the grant by this process's monotonic clock. When it is reached, the lock
 *       is released with a warning, although the task may still run; {@code extend} begins a new one. It bounds the time of a task that
 *       hangs, and not the time until the death of a process is noticed: a dead process loses its locks after {@code declock.lease},
 *       3 seconds unless configured otherwise.
 *   <li><b>{@code lockAtLeastFor} is kept by the memory node</b> ({@link LockRequest#holdAtLeast}): a task that ends early leaves the lock
 *       taken until then, also if its process leaves or dies, and no shutdown waits for it.
 *   <li><b>A lost lock is logged.</b> When the session ends while the task runs, the provider warns, and {@code extend} returns empty.
 *       {@code unlock} throws nothing then, so that ShedLock does not hide the task's own result or exception.
 * </ul>
 *
 * <p>Clocks of different machines need not agree: no time of one is compared with a time of another. Thread-safe.
 */
public final class DecLockProvider implements ExtensibleLockProvider {
    /** Prefix of the locks' names unless another one is given. */
    public static final String DEFAULT_PREFIX = "shedlock:";

    private final DistributedReadWriteLock locks;
    private final String prefix;
    private final LockTimer timer = new LockTimer();

    /**
     * Makes a provider with the prefix {@link #DEFAULT_PREFIX}.
     *
     * @param locks the locks
     */
    public DecLockProvider(DistributedReadWriteLock locks) {
        this(locks, DEFAULT_PREFIX);
    }

    /**
     * Makes a provider.
     *
     * @param locks the locks
     * @param prefix what the names of its locks begin with, so that tasks do not meet names that other code locks; may be empty
     */
    public DecLockProvider(DistributedReadWriteLock locks, String prefix) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.prefix = Objects.requireNonNull(prefix, "prefix");
    }

    /**
     * Asks once for a lock.
     *
     * @param configuration name, longest and shortest time
     * @return the lock, or empty if another task has it
     * @throws io.declock.MemoryNodeUnavailableException if a memory node that is needed is unavailable
     * @throws LockInterruptedException if the thread was interrupted while it waited for the memory node's answer
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        // An owner of its own for each lock: a thread that has the lock of a task does not get it for another task.
        LockOwner owner = LockOwner.named("ShedLock " + configuration.getName());
        try {
            LockHandle handle = locks.acquire(request(configuration), owner);
            return Optional.of(TaskLock.begin(handle, configuration, timer, extended -> reserve(extended, owner)));
        } catch (LockNotGrantedException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "interrupted while asking for lock " + LockNames.quoted(configuration.getName()), e);
        }
    }

    private LockRequest request(LockConfiguration configuration) {
        LockRequest request =
                LockRequest.write(prefix + configuration.getName()).waitTime(Duration.ZERO);
        Duration least = configuration.getLockAtLeastFor();
        return least.isZero() ? request : request.holdAtLeast(least);
    }

    /** Has a lock that the owner holds stay taken for the shortest time of an extension, from now on. */
    private void reserve(LockConfiguration extended, LockOwner owner) {
        if (extended.getLockAtLeastFor().isZero()) {
            return;
        }
        try {
            locks.acquire(request(extended), owner).close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "interrupted while lock " + LockNames.quoted(extended.getName()) + " was extended", e);
        }
    }

    /** Returns how many locks will end by their times unless their tasks end before. */
    int pending() {
        return timer.pending();
    }

    @Override
    public String toString() {
        return "DecLockProvider[prefix " + LockNames.quoted(prefix) + "]";
    }
}
