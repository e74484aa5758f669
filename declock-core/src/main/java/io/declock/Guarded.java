// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A value that belongs to a lock and is kept by the lock's memory node. What it promises when holders, connections or memory nodes fail is in
 * docs/guarded-values.md. Thread-safe; each acquisition has an owner of its own, so a thread that has the value must not acquire it again.
 *
 * @param <T> type of the value
 */
public interface Guarded<T> {
    /** {@return the name of the lock} */
    String name();

    /**
     * Acquires the lock for writing, and reads the value.
     *
     * @return the hold, which must be closed
     * @throws LockNotGrantedException if the lock was not granted within the default wait time
     * @throws MemoryNodeUnavailableException if the memory node cannot be reached
     * @throws LockLostException if the lock was lost before the value was read
     * @throws IllegalArgumentException if the codec cannot read the value
     * @throws InterruptedException if interrupted while waiting; nothing is held then
     */
    Held<T> acquire() throws InterruptedException;

    /**
     * Acquires the lock as a request says, and reads the value. With a request to read, the hold is shared and stores nothing.
     *
     * @param request a request for this lock's name alone
     * @return the hold, which must be closed
     * @throws IllegalArgumentException if the request is for another name, or the codec cannot read the value
     * @throws LockNotGrantedException if the lock was not granted within the wait time
     * @throws MemoryNodeUnavailableException if the memory node cannot be reached
     * @throws LockLostException if the lock was lost before the value was read
     * @throws InterruptedException if interrupted while waiting; nothing is held then
     */
    Held<T> acquire(LockRequest request) throws InterruptedException;

    /**
     * Reads the value under a shared lock, for the time of this call only.
     *
     * @return the value, empty if there is none
     * @throws LockNotGrantedException if the lock was not granted within the default wait time
     * @throws MemoryNodeUnavailableException if the memory node cannot be reached
     * @throws InterruptedException if interrupted while waiting
     */
    Optional<T> read() throws InterruptedException;

    /**
     * Replaces the value by what a function makes of it, under the lock. When this returns the memory node has the new value.
     *
     * @param change gets the value, empty if there is none; returns the new one, or null to remove it
     * @return the new value, empty if it was removed
     * @throws LockNotGrantedException if the lock was not granted within the default wait time
     * @throws MemoryNodeUnavailableException if the memory node cannot be reached
     * @throws LockLostException if the lock was lost meanwhile; then it is not known whether the value was stored
     * @throws InterruptedException if interrupted while waiting; nothing has changed then
     */
    Optional<T> update(Function<Optional<T>, @Nullable T> change) throws InterruptedException;

    /**
     * The lock, held, with the value. Thread-safe.
     *
     * @param <T> type of the value
     */
    interface Held<T> extends AutoCloseable {
        /** {@return the value: what this hold has set or stored last, else what it found; empty if there is none} */
        Optional<T> value();

        /** {@return who stored the value that was found, empty if there was none} */
        Optional<Stored> stored();

        /**
         * Sets the value. The memory node gets it when this hold is closed, before anybody else has the lock.
         *
         * @param value the new value
         * @throws IllegalArgumentException if its bytes are more than 1,024
         * @throws IllegalStateException if the hold is shared or was closed
         */
        void set(T value);

        /** Removes the value when this hold is closed. @throws IllegalStateException if the hold is shared or was closed */
        void clear();

        /**
         * Stores the value now. When this returns, the memory node has it, and the next holder sees it whatever happens to this process. If it throws,
         * {@link #value} stays as it was, and what was {@linkplain #set set} before is still stored at the end. Not interruptible; it ends when the memory node
         * has answered, or with the session.
         *
         * @param value the new value
         * @throws IllegalArgumentException if its bytes are more than 1,024
         * @throws IllegalStateException if the hold is shared or was closed
         * @throws LockLostException if the lock was lost; if that was while the value was being stored, it is not known whether it was
         * @throws DecLockException if the memory node has no room for the value, or is of a release without guarded values
         */
        void store(T value);

        /** {@return the lock's handle, for its fencing token, its validity and {@code onLost}; it is closed with this} */
        LockHandle handle();

        /**
         * Stores what was {@linkplain #set set}, and releases the lock, both after a {@link #store} that is under way in another thread. Closing again has no effect.
         *
         * @throws LockLostException if the lock was lost; what was set and not stored is not stored, unless it was lost at that very moment
         * @throws DecLockException if the memory node has no room for the value; the lock is released all the same
         */
        @Override
        void close();
    }

    /**
     * The holder that stored a value.
     *
     * @param fencingToken fencing token of its hold
     * @param by name of its process
     */
    record Stored(long fencingToken, String by) {}
}
