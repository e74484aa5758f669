// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.List;

/**
 * One acquisition that was granted: use it in try-with-resources. A handle is single-use: closing it a second time does
 * nothing, and after it was lost closing it throws {@link LockLostException}, so that a caller learns that its critical
 * section was not protected to its end.
 *
 * <p>Thread-safe. It may be closed by another thread than the one that acquired it.
 */
public interface LockHandle extends AutoCloseable {
    /** {@return the grants, in the order in which they were acquired} */
    List<Grant> grants();

    /** {@return the mode in which the first name is held} */
    LockMode mode();

    /**
     * {@return the fencing token of the first (usually only) name: positive, and greater than the token of every write lock granted
     * before on that name, across processes, resets and memory-node restarts} Reentrant acquisitions share one token.
     *
     * <p>A resource that is to be protected remembers the highest token that it has seen, and refuses lower ones. It must see the token before
     * the holder reads what its writes depend on: a check at the write alone does not keep an older holder from writing between the
     * two.
     */
    long fencingToken();

    /**
     * {@return the fencing token of one name of the request}
     *
     * @param name a name of the request
     * @throws IllegalArgumentException if the request did not have that name
     */
    long fencingToken(String name);

    /**
     * {@return whether every lock of this handle is still held, judged on this machine's monotonic clock without network traffic:
     * false as soon as the session's lease may have run out or a ceiling is reached, and after closing}
     */
    boolean isValid();

    /**
     * Registers a callback for the loss of this handle (session lapsed, memory node lost, ceiling on the hold reached). It runs once, on a
     * thread of the library; immediately if the handle is lost already; never after a normal close. Listeners of several handles share a
     * few threads: a slow listener delays other listeners, but never {@link #interruptOnLost}.
     *
     * @param listener what to call
     */
    void onLost(LostListener listener);

    /**
     * Interrupts the calling thread when this handle is lost before it is closed; at once if it is lost already. No interrupt comes after
     * {@link #close} has returned, and closing on that thread clears a pending interrupt of this kind, so that the thread can go on with
     * other work.
     */
    void interruptOnLost();

    /**
     * Tries to turn a read hold on a single name into a write hold, without waiting: it succeeds only if this is the only reader in any
     * process and there is no waiter. The token changes to a higher one. Two readers that both want to upgrade would wait for each other
     * for ever, so no method waits for an upgrade.
     *
     * <p>Only this acquisition is converted, others of the same owner keep their modes. While its owner has the write lock by another
     * acquisition, it succeeds without a remote operation.
     *
     * @return whether the handle now holds the write lock; false leaves the read lock as it was
     * @throws UnsupportedOperationException if the handle has several names
     * @throws IllegalStateException if the handle was closed
     * @throws LockLostException if the handle was lost; nothing is changed
     * @throws InterruptedException if interrupted while waiting
     */
    boolean tryUpgrade() throws InterruptedException;

    /**
     * Turns a write hold on a single name into a read hold. Does nothing for a read hold. Only this acquisition is converted; waiting
     * readers are granted the lock once its owner has no other acquisition in write mode.
     *
     * @throws UnsupportedOperationException if the handle has several names
     * @throws IllegalStateException if the handle was closed
     * @throws LockLostException if the handle was lost; nothing is changed
     */
    void downgrade();

    /**
     * Releases. Returns before the release has reached the memory node.
     *
     * @throws LockLostException if the lock had been lost before
     */
    @Override
    void close();

    /**
     * The grant of one name.
     *
     * @param name the lock's name
     * @param mode the mode in which it is held
     * @param fencingToken the token of this hold
     */
    record Grant(String name, LockMode mode, long fencingToken) {}

    /** Called once when a handle is lost. */
    @FunctionalInterface
    interface LostListener {
        /**
         * Called with the reason for the loss of the hold on the named lock.
         *
         * @param handle the handle
         * @param why which lock was lost, and why
         */
        void lost(LockHandle handle, LockLostException why);
    }
}
