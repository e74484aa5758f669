// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * Reader-writer locks by name, shared by every process that uses the same memory nodes and namespace. Locks are granted in the order of
 * arrival (policy {@code task-fair}), or readers may pass waiting writers for a bounded number of phases ({@code phase-fair}). Each grant
 * carries a fencing token.
 *
 * <p>An owner (a thread, or a {@link LockOwner}) that holds the lock acquires it again ahead of all waiters. An owner that has lost the
 * lock, because its session ended or a ceiling was reached, and has not released it since gets {@link LockLostException} from every attempt
 * to acquire it: it must first release the lost hold as often as it acquired it. Otherwise the release of the lost hold would free a later
 * one.
 *
 * <p>Thread-safe; virtual threads may call every method. Waiting threads are parked and use no CPU; a caller's critical section never
 * blocks a thread of the library.
 */
public interface DistributedReadWriteLock {
    /** Longest lock name in UTF-8 bytes, without its namespace. */
    int MAX_NAME_BYTES = 512;

    /**
     * {@return the lock of that name as a {@link ReadWriteLock} whose holds belong to threads: reentrant as {@link
     * java.util.concurrent.locks.ReentrantReadWriteLock} is, with write to read downgrade} {@code newCondition} is not supported.
     * {@code lock()} waits without a time limit.
     *
     * <p>A thread that holds only the read lock and asks for the write lock gets an {@link IllegalMonitorStateException} at
     * once, where {@code ReentrantReadWriteLock} would deadlock; see {@link LockHandle#tryUpgrade()}. Its {@code tryLock()} returns
     * false.
     *
     * @param name the lock's name
     * @throws IllegalArgumentException if the name is empty, longer than {@link #MAX_NAME_BYTES}, or has a NUL or a surrogate
     *     without its other half
     */
    ReadWriteLock lock(String name);

    /**
     * Acquires the requested locks on behalf of the calling thread.
     *
     * @param request names, modes, wait time and ceiling
     * @return the handle of the acquisition
     * @throws LockNotGrantedException if the wait time ran out, or at once as {@link UpgradeRefusedException} if the owner would wait for
     *     itself
     * @throws LockLostException if the owner has lost the lock and not released it since
     * @throws MemoryNodeUnavailableException if a memory node that is needed is unavailable: at once if the settings forbid waiting for it,
     *     else when the wait time has run out
     * @throws InterruptedException if interrupted while waiting; nothing is held then
     */
    LockHandle acquire(LockRequest request) throws InterruptedException;

    /**
     * As {@link #acquire(LockRequest)} on behalf of {@code owner}, blocking the calling thread.
     *
     * @param request names, modes, wait time and ceiling
     * @param owner on whose behalf the locks are held
     * @return the handle of the acquisition
     * @throws InterruptedException if interrupted while waiting; nothing is held then
     */
    LockHandle acquire(LockRequest request, LockOwner owner) throws InterruptedException;

    /**
     * As {@link #acquire(LockRequest)}, with an empty result where that would throw {@link LockNotGrantedException}. An unavailable memory
     * node still causes an exception, because an empty result means that another owner has the lock.
     *
     * @param request names, modes, wait time and ceiling
     * @return the handle, or empty
     * @throws InterruptedException if interrupted while waiting; nothing is held then
     */
    Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException;

    /**
     * Acquires without blocking a thread, on behalf of {@code owner}.
     *
     * <p>Cancelling the returned stage's future, or failing it, withdraws the request; a grant that races with it is released.
     *
     * <p>What is decided while this process is asked, as a lock that it {@linkplain KeepSettings keeps}, is complete when the stage is returned, and an action that
     * depends on it then runs on the calling thread.
     *
     * <p>A node has at most 64 threads that complete stages, unless it was {@linkplain DecLock.Builder#completions given others}. A dependent action that blocks, above all for another lock, belongs on an
     * executor of its own ({@code thenAcceptAsync(action, executor)}): 64 such actions that wait for further completions would block until
     * their wait times are over.
     *
     * @param request names, modes, wait time and ceiling
     * @param owner on whose behalf the locks are held
     * @return completes with the handle, or exceptionally as {@link #acquire(LockRequest)} throws
     */
    CompletionStage<LockHandle> acquireAsync(LockRequest request, LockOwner owner);
}
