// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.DecLockException;
import io.declock.LockMode;
import io.declock.internal.protocol.CqlEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * One caller that waits for one lock, in the lock's local queue. Links and hold are guarded by the lock's mutex; the state is written under
 * the mutex and may be read without it. {@link #run} is called outside the mutex whenever the state has left WAITING, or the waiter has
 * become the next in line.
 */
public abstract class LocalWaiter implements Runnable {
    /** The state of a waiter. */
    public enum State {
        /** Not decided yet. */
        WAITING,
        /** It has a hold. */
        GRANTED,
        /** It must not wait, and the lock was busy. */
        BUSY,
        /** It failed, see {@link #failure()}. */
        FAILED,
        /** It gave up. */
        ABANDONED
    }

    final Object owner;
    final LockMode mode;
    final boolean noWait;
    int timestamp;
    long since;
    int passedBy;
    boolean queued;

    /** Another waiter of the same owner in the same queue. */
    @Nullable
    LocalWaiter sibling;

    @Nullable
    LocalWaiter previous;

    @Nullable
    LocalWaiter next;

    private @Nullable Hold hold;
    private @Nullable DecLockException failure;
    private boolean reentrant;
    private boolean stamped;
    private volatile boolean nextInLine;
    // Null while it waits, so that no volatile write is needed when a waiter is made.
    private volatile @Nullable State decided;

    /**
     * Makes a waiter.
     *
     * @param owner thread or explicit owner, compared by identity
     * @param noWait whether it must not queue (rule D1)
     */
    protected LocalWaiter(Object owner, LockMode mode, boolean noWait) {
        this.owner = owner;
        this.mode = mode;
        this.noWait = noWait;
    }

    void grant(Hold granted, boolean again) {
        hold = granted;
        reentrant = again;
        decided = State.GRANTED;
    }

    void settle(State settled, @Nullable DecLockException why) {
        failure = why;
        decided = settled;
    }

    /**
     * Sets the timestamp. Timestamps are on the memory node's clock, so a caller that comes before there is a session is stamped when there
     * is one.
     */
    void stamp(@Nullable CqlEnvironment session, long now) {
        if (!stamped && session != null) {
            stamped = true;
            timestamp = session.timestamp(now);
        }
    }

    void toNextInLine() {
        nextInLine = true;
    }

    /** Returns whether readers may pass this writer in one more phase (rule E9). */
    boolean mayBePassed(int phases) {
        return passedBy < phases;
    }

    boolean isExclusive() {
        return mode.isExclusive();
    }

    /** Returns whether it acquires through a view, whose acquisitions have no handle. */
    public boolean isByView() {
        return false;
    }

    /** Returns whether its owner may wait for several acquisitions at once, which a thread cannot. */
    protected boolean hasExplicitOwner() {
        return true;
    }

    /** Returns its state. */
    public final State state() {
        State state = decided;
        return state == null ? State.WAITING : state;
    }

    /** Returns whether it is the first to be granted locally, so that spinning for a moment may be worth it. */
    public final boolean isNextInLine() {
        return nextInLine;
    }

    /** Returns its hold after the grant. */
    public final Hold hold() {
        Hold granted = hold;
        if (granted == null) {
            throw new IllegalStateException("not granted: " + state());
        }
        return granted;
    }

    /** Returns whether the grant was a reentrant one. */
    public final boolean isReentrant() {
        return reentrant;
    }

    /** Returns why it failed, null unless it did. */
    public final @Nullable DecLockException failure() {
        return failure;
    }

    /** Returns when it called the lock, on the node's clock. */
    public final long since() {
        return since;
    }

    /** Returns when it came, on the memory node's clock, as a {@link io.declock.internal.layout.Timestamp}. */
    public final int timestamp() {
        return timestamp;
    }

    /** Returns the mode asked for. */
    public final LockMode mode() {
        return mode;
    }

    /** Returns the owner for which it acquires. */
    public final Object owner() {
        return owner;
    }
}
