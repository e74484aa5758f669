// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.RecordLayout;
import io.declock.spi.GrantedValue;
import io.declock.spi.PeerMessage;
import org.jspecify.annotations.Nullable;

/** This node's place in the queue of one lock record; guarded by the lock's mutex. */
final class Position {
    private final RecordLayout layout;
    private final long record;
    private PositionState state = PositionState.IDLE;
    private long epoch;
    private int index;
    private boolean exclusive;
    private int timestamp;
    private boolean converting;
    // The position that was given back last.
    private boolean wasExclusive;
    private int indexLeft;
    private @Nullable GrantedValue valueLeft;
    private int preArmedEnd;

    Position(RecordLayout layout, long record, long epoch) {
        this.layout = layout;
        this.record = record;
        this.epoch = epoch;
    }

    // ---------------------------------------------------------------- the record

    RecordLayout layout() {
        return layout;
    }

    /** Returns the record's offset. */
    long record() {
        return record;
    }

    /** Returns the address of the record's header. */
    long header() {
        return layout.header(record);
    }

    /** Returns the number of words of the record. */
    int words() {
        return layout.words();
    }

    // ---------------------------------------------------------------- the place in its queue

    PositionState state() {
        return state;
    }

    boolean is(PositionState asked) {
        return state == asked;
    }

    void to(PositionState next) {
        state = next;
    }

    /** Checks that the position is in this state and that no conversion is under way. */
    void expect(PositionState expected) {
        if (state != expected || converting) {
            throw new IllegalStateException(
                    "lock record " + record + " is " + state + (converting ? " converting" : "") + ", not " + expected);
        }
    }

    /** Returns the full epoch as this node knows it. */
    long epoch() {
        return epoch;
    }

    void toEpoch(long known) {
        epoch = known;
    }

    boolean isOfEpoch(long header) {
        return LockHeader.epoch(header) == (int) (epoch & LockHeader.EPOCH_MASK);
    }

    int index() {
        return index;
    }

    void toIndex(int taken) {
        index = taken;
    }

    /** Returns whether the queue is so near the end of the index range that the lock must be reset before the index overflows the range. */
    boolean isNearRangeEnd(long header) {
        return LockHeader.tail(header) >= layout.indexLimit();
    }

    /** Returns whether that header is so near the end of the index range that no position may be taken before a reset. */
    boolean isBeyondWall(long header) {
        return LockHeader.tail(header) >= layout.wall();
    }

    boolean isExclusive() {
        return exclusive;
    }

    void toMode(boolean nowExclusive) {
        exclusive = nowExclusive;
    }

    int timestamp() {
        return timestamp;
    }

    /** Sets the mode and the arrival time of the position to take. */
    void want(boolean asExclusive, int since) {
        exclusive = asExclusive;
        timestamp = since;
    }

    boolean isConverting() {
        return converting;
    }

    void beginConversion() {
        expect(PositionState.HELD);
        converting = true;
    }

    void endConversion() {
        converting = false;
    }

    /** Returns whether a CAS of that header would take a position of the epoch that this node knows, outside of a reset. */
    boolean mayCas(long header) {
        return !LockHeader.isInReset(header) && isOfEpoch(header);
    }

    /** Returns whether this position waits and the grant is for exactly this position (rules A5 and B5). */
    boolean isMeantBy(PeerMessage grant) {
        return state == PositionState.WAITING && grant.epoch() == epoch && grant.index() == index;
    }

    // ---------------------------------------------------------------- the position given back last

    /**
     * Notes that the position is about to be given back, without a pre-armed grant so far.
     *
     * @param value what is known of the lock's value, or null
     */
    void leave(@Nullable GrantedValue value) {
        wasExclusive = exclusive;
        indexLeft = index;
        valueLeft = value;
        preArmedEnd = 0;
    }

    /** Returns what was known of the lock's value when the position was given back, or null. */
    @Nullable
    GrantedValue valueLeft() {
        return valueLeft;
    }

    boolean wasExclusive() {
        return wasExclusive;
    }

    int indexLeft() {
        return indexLeft;
    }

    /** Notes that successors up to that index were granted the lock before the release FAA (rule F). */
    void preArmedUpTo(int last) {
        preArmedEnd = last + 1;
    }

    /** Forgets the pre-armed grants after a reset: they were made in another epoch. */
    void forgetPreArmed() {
        preArmedEnd = 0;
    }

    /** The head was moved on to a later index of the same slot, with nobody in between; the position may have been given back since. */
    void moveOn(int from, int to) {
        if (index == from) {
            index = to;
        }
        if (indexLeft == from) {
            indexLeft = to;
        }
    }

    boolean isPreArmed(int successor) {
        return successor > indexLeft && successor < preArmedEnd;
    }

    // ---------------------------------------------------------------- the view of resets

    /** Returns whether this node holds the lock in that epoch, also if its release is put off (rule B10: a waiter does not hold). */
    boolean holdsIn(long ofEpoch) {
        return ofEpoch == epoch
                && (state == PositionState.HELD
                        || state == PositionState.PUT_OFF
                        || state == PositionState.LEAVING
                        || state == PositionState.REQUEUING);
    }

    /** Returns 0 for no hold, 1 for shared, 2 for exclusive, in the terms of a reset acknowledgement. */
    int holdForReset() {
        return state == PositionState.HELD || state == PositionState.PUT_OFF ? exclusive ? 2 : 1 : 0;
    }

    /** A reset was signalled: a waiter gives up its position. */
    void abortWaiting() {
        if (state == PositionState.WAITING) {
            state = PositionState.ABORTED;
        }
    }

    @Override
    public String toString() {
        return state + (exclusive ? " exclusive" : " shared") + " index " + index + " epoch " + epoch + " record "
                + record;
    }
}
