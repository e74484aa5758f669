// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.GrantKind;
import io.declock.internal.layout.LockHeader;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbResults;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Cooperative queue-notify locking: one compute node's side of one lock record, in one session (DecLock, section 4). At any time it has at
 * most one position in the lock's queue. This class is the interface to the levels above and below and connects the parts; the mechanisms
 * are in the parts:
 *
 * <ol>
 * <li>{@link Position}: this node's place in the queue, and its epoch. {@link Tenure}: this node's knowledge during a hold.
 * <li>{@link Acquisition}: one FAA takes a position; its result shows whether the position holds the lock (workflow 1).
 * <li>{@link PendingRequest}: if not, the request is registered, the queue entry is written and a grant is awaited (workflow 2); a repeated
 * self-check READs the record, so that the waiter learns of a grant whose message was lost.
 * <li>{@link Release}: one FAA gives the position back, chained with a READ of the queue if that is worth it (workflows 3 to 5). A requeue
 * gives the position back and takes another with one FAA.
 * <li>{@link Successors}: sends one message to each successor that {@link HandOver} finds; a writer that already knows its successor sends
 * it before its FAA (pre-armed hand-over).
 * <li>{@link Conversion}: downgrade and upgrade. {@link Prefetch}: a holder's READ of the queue, by which it learns of remote waiters.
 * <li>{@link ResetMember}: this node's part in a reset, which {@link LockReset} leads.
 * </ol>
 *
 * <p>No I/O, time or threads: an event comes in, {@link Effects} go out. The mutex given to the constructor guards every method and field
 * of this class and its parts, except the chains' completions, which take it.
 */
public final class CqlLock {
    /** This node's state in the lock. */
    public enum State {
        /** No position. */
        IDLE,
        /** An FAA that takes a position is in flight. */
        ENQUEUING,
        /** An FAA that gives a position back and takes another is in flight. */
        REQUEUING,
        /** A position was taken in an epoch whose full number is being read. */
        LEARNING,
        /** The position waits for its grant. */
        WAITING,
        /** The position holds the lock. */
        HELD,
        /** The FAA that gives the position back is in flight. */
        LEAVING,
        /** READ and CAS of an acquisition that must not wait are in flight. */
        TRYING,
        /** A reset ended the position; this node awaits a new epoch. */
        ABORTED,
        /** Released by its last user while a reset kept it alive; the FAA follows in the new epoch (rule B12.1). */
        PUT_OFF,
        /** The session has ended. */
        DEAD
    }

    final CqlEnvironment env;
    final CqlUpper upper;
    private final ReentrantLock mutex;

    final Position position;
    final Tenure tenure = new Tenure();
    final Suspicion suspicion = new Suspicion();
    final LockChain op = new LockChain(this, 2);
    final LockChain probe = new LockChain(this, 1);
    final ResetMember reset;
    final PendingRequest pending;
    /** The epoch in which the queue was seen to have reached the wall. */
    private long walledEpoch = -1;
    /** Number of hand-overs that wait for a READ of the queue. */
    int refetching;

    /**
     * Makes this node's side of the lock, without a position.
     *
     * @param epoch the record's full epoch when its name was resolved
     */
    public CqlLock(CqlEnvironment env, CqlUpper upper, ReentrantLock mutex, long record, long epoch) {
        this.env = env;
        this.upper = upper;
        this.mutex = mutex;
        this.position = new Position(env.layout(), record, epoch);
        this.reset = new ResetMember(env, this, position, probe);
        this.pending = new PendingRequest(env, this, position, reset, probe);
    }

    // ---------------------------------------------------------------- requests of the level above

    /** Takes a position. State must be IDLE; if a reset is pending the position is taken when it is over. */
    public void acquire(boolean exclusive, int timestamp, Effects effects) {
        Acquisition.start(this, exclusive, timestamp, effects);
    }

    /** Takes a position only if it is granted at once (rule D1). State must be IDLE and no reset pending. */
    public void tryAcquire(boolean exclusive, int timestamp, Effects effects) {
        Acquisition.startWithoutWaiting(this, exclusive, timestamp, effects);
    }

    /** Gives the position back. State must be HELD and nothing converting. */
    public void release(Effects effects) {
        Release.start(this, effects);
    }

    /** Gives the position back and takes one at the tail, in one FAA. State must be HELD, nothing converting, no reset pending. */
    public void requeue(boolean exclusive, int timestamp, Effects effects) {
        if (isWalled()) {
            // The next position is taken in the new epoch.
            Release.start(this, effects);
            return;
        }
        Release.startRequeue(this, exclusive, timestamp, effects);
    }

    /** Turns the exclusive position into a shared one; {@link CqlUpper#settled} follows. */
    public void downgrade(Effects effects) {
        Conversion.startDowngrade(this, effects);
    }

    /** Tries to turn the shared position into the exclusive one; {@link CqlUpper#upgraded} follows (rule D3). */
    public void tryUpgrade(Effects effects) {
        Conversion.startUpgrade(this, effects);
    }

    /** READs the remote queue unless this was done a moment ago; {@link CqlUpper#settled} follows. */
    public void prefetch(Effects effects) {
        Prefetch.start(this, effects);
    }

    /** READs the remote queue, because the last READ is too old for a local hand-over; {@link CqlUpper#settled} follows. */
    public void look(Effects effects) {
        Prefetch.startNow(this, effects);
    }

    /** Ends this side for good: the session has ended. */
    public void kill() {
        position.to(State.DEAD);
    }

    // ---------------------------------------------------------------- state for the level above

    /** Returns this node's state in the lock. */
    public State state() {
        return position.state();
    }

    /** Returns whether the position is exclusive. */
    public boolean isExclusive() {
        return position.isExclusive();
    }

    /** Returns whether a conversion is in flight, during which the position can neither be shared nor released. */
    public boolean isConverting() {
        return position.isConverting();
    }

    /** Returns whether a READ of the remote queue is under way or planned, which ends with {@link CqlUpper#settled}. */
    public boolean isLooking() {
        return probe.isInFlight() || tenure.isLookPlanned();
    }

    /** Returns whether a reset stops local sharing and hand-over (rule B3). */
    public boolean isFrozen() {
        return reset.isPending();
    }

    /** Returns the environment of its session. */
    public CqlEnvironment environment() {
        return env;
    }

    /** Returns the record's offset. */
    public long record() {
        return position.record();
    }

    /** Returns the full epoch as this node knows it. */
    public long epoch() {
        return position.epoch();
    }

    /** Returns the queue index of the position. */
    public int index() {
        return position.index();
    }

    /**
     * Returns this node's claim in that epoch, in the terms of a HOLD_ANSWER (rule B10). A waiter does not hold the lock but claims a
     * position, and so does every operation that may be about to take one.
     */
    public int claimIn(long ofEpoch) {
        if (position.holdsIn(ofEpoch)) {
            return PeerMessage.HOLDS;
        }
        return position.is(State.IDLE) && !isChanging() ? PeerMessage.NO_POSITION : PeerMessage.HAS_POSITION;
    }

    /** Returns whether this side may be forgotten: no position, nothing in flight, no reset. */
    public boolean isForgettable() {
        return (position.is(State.IDLE)
                        && !op.isInFlight()
                        && !pending.isWritingEntry()
                        && !probe.isInFlight()
                        && !reset.isPending()
                        && refetching == 0)
                || position.is(State.DEAD);
    }

    /** Returns the tenure: the knowledge during the present hold of the position. */
    public Tenure tenure() {
        return tenure;
    }

    /** Returns the fencing token of the present local grant. */
    public long token() {
        return tenure.token();
    }

    // ---------------------------------------------------------------- incoming events

    /** A peer's message for this lock arrived. */
    public void deliver(PeerMessage message) {
        event(effects -> {
            switch (message.kind()) {
                case GRANT -> pending.onGrant(message, effects);
                case GRANT_REFUSED -> onGrantRefused(message, effects);
                case RESET_SIGNAL -> reset.onSignal(message, effects);
                case RESET_DONE -> onNewEpoch(message.epoch(), effects);
                default -> {}
            }
        });
    }

    /** Handles the refusal of a grant that this node sent: its receiver is a later incarnation (rule C2). */
    private void onGrantRefused(PeerMessage refusal, Effects effects) {
        if (refusal.epoch() == position.epoch()) {
            requestReset(ResetReason.GRANT_REFUSED, effects);
        }
    }

    /**
     * A compute node died. If this node waits, it asks at once whether any node holds the lock; otherwise it asks when a caller next finds
     * the lock taken.
     */
    public void memberDied() {
        event(effects -> {
            suspicion.memberEnded();
            if (position.is(State.WAITING)) {
                suspicion.takeOccasion();
                pending.memberDied(effects);
            } else if (reset.isPending()) {
                requestReset(ResetReason.STALLED_RESET, effects);
            }
        });
    }

    /** A caller that must not wait found the lock taken. */
    void findsTaken(long header, Effects effects) {
        if (LockHeader.size(header) == 0) {
            suspicion.nothingIsLeftBehind();
        } else if (isSuspicious(header, effects.now())) {
            requestReset(ResetReason.SUSPECTED, effects);
        }
    }

    boolean isSuspicious(long header, long now) {
        return suspicion.arises(header, now, env.settings().suspectAfter().toNanos());
    }

    /** Handles the completion of a chain, as {@link #event} does, but without allocating a handler object. */
    void completed(LockChain chain, VerbResults results) {
        Effects effects = new Effects(env.clock());
        mutex.lock();
        try {
            if (!position.is(State.DEAD)) {
                take(chain.land(), results, effects);
                if (reset.isUnanswered()) {
                    reset.acknowledge(effects);
                }
            }
        } finally {
            mutex.unlock();
        }
        effects.perform(env);
    }

    private void take(LockChain.Step step, VerbResults results, Effects effects) {
        switch (step) {
            case ENQUEUED -> Acquisition.arrive(this, results.value(0), effects);
            case REQUEUED -> Acquisition.arrive(this, Release.onRequeued(this, results, effects), effects);
            case RELEASED -> Release.onReleased(this, results, effects);
            case EPOCH_LEARNT -> Acquisition.onEpochLearnt(this, results, effects);
            case ENTRY_WRITTEN -> pending.onEntryWritten(effects);
            case TRY_READ -> Acquisition.onTryRead(this, results, effects);
            case TRY_SWAPPED -> Acquisition.onTrySwapped(this, results, effects);
            case DOWNGRADED -> Conversion.onDowngraded(this, results, effects);
            case UPGRADE_READ -> Conversion.onUpgradeRead(this, results, effects);
            case UPGRADE_SWAPPED -> Conversion.onUpgradeSwapped(this, results, effects);
            case PREFETCHED -> Prefetch.onRead(this, results, effects);
            case CHECKED -> {
                Prefetch.landed(this, effects);
                pending.onChecked(results, effects);
            }
            case EPOCH_POLLED -> {
                reset.onPolled(results, effects);
                Prefetch.landed(this, effects);
            }
        }
    }

    /** Handles one event under the mutex and performs its effects outside of it. */
    void event(Consumer<Effects> handler) {
        Effects effects = new Effects(env.clock());
        mutex.lock();
        try {
            if (!position.is(State.DEAD)) {
                handler.accept(effects);
                if (reset.isUnanswered()) {
                    reset.acknowledge(effects);
                }
            }
        } finally {
            mutex.unlock();
        }
        effects.perform(env);
    }

    // ---------------------------------------------------------------- connections between the parts

    /** The position holds the lock from now on; no waiters are known. */
    void hold(GrantKind kind, Effects effects) {
        hold(kind, HandOver.NO_ENTRIES, -1, effects);
    }

    /**
     * The position holds the lock from now on.
     *
     * @param ahead entries known to follow it
     * @param earliest the earliest timestamp among all known waiters, or -1
     */
    void hold(GrantKind kind, long[] ahead, long earliest, Effects effects) {
        position.to(State.HELD);
        if (position.isExclusive()) {
            suspicion.nothingIsLeftBehind();
        }
        tenure.begin(position.epoch(), position.index(), effects.now());
        if (ahead.length > 0 || earliest >= 0) {
            tenure.learn(ahead, (int) earliest, effects.now());
        }
        tenure.planRemote(kind == GrantKind.UNCONTENDED);
        upper.granted(kind, effects);
    }

    /** Asks for a reset if the queue is near the end of the index range, and remembers if it has reached the wall. */
    void checkRange(long header, Effects effects) {
        if (!position.isOfEpoch(header) || !position.isNearRangeEnd(header)) {
            return;
        }
        if (position.isBeyondWall(header)) {
            walledEpoch = position.epoch();
        }
        requestReset(ResetReason.GUARD, effects);
    }

    /** Returns whether no position may be taken before the next epoch (rule B13). */
    boolean isWalled() {
        return walledEpoch == position.epoch();
    }

    void requestReset(ResetReason reason, Effects effects) {
        long ofEpoch = position.epoch();
        effects.run(() -> env.requestReset(this, ofEpoch, reason));
    }

    /** Returns whether an FAA, CAS or WRITE of this lock is in flight, which delays the acknowledgement of a reset (rule B4). */
    boolean isChanging() {
        return op.isInFlight() || pending.isWritingEntry();
    }

    /** A reset is over. */
    void onNewEpoch(long newEpoch, Effects effects) {
        if (newEpoch <= position.epoch() || position.is(State.DEAD)) {
            return;
        }
        position.toEpoch(newEpoch);
        env.sawEpoch(newEpoch);
        position.forgetPreArmed();
        reset.over();
        switch (position.state()) {
            case HELD -> {
                position.toIndex(0);
                tenure.survive(newEpoch);
                upper.settled(effects);
            }
            case PUT_OFF -> {
                position.toIndex(0);
                position.to(State.HELD);
                tenure.forgetRemote();
                Release.start(this, effects);
            }
            case ABORTED, WAITING -> {
                env.counters().count(Event.RETRY_AFTER_RESET);
                position.to(State.IDLE);
                upper.vacant(effects);
            }
            case IDLE -> upper.vacant(effects);
            default -> {}
        }
    }

    /** There is no reset after all: the record is in the epoch that this node knows, which it was only about to enter before. */
    void onNoReset(Effects effects) {
        if (position.is(State.ABORTED) || position.is(State.IDLE)) {
            reset.over();
            position.to(State.IDLE);
            upper.vacant(effects);
        }
    }

    @Override
    public String toString() {
        return position + (reset.isPending() ? " reset pending" : "");
    }
}
