// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.spi.PeerMessage;
import io.declock.spi.Resolution;
import io.declock.spi.VerbResults;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Cooperative queue-notify locking: one compute node's side of one lock record, in one session (DecLock, section 4). At any time it has at
 * most one position in the lock's queue. This class takes the mutex, gives each event to the function that handles it, and performs the
 * effects; its state is a {@link LockState}, and the mechanisms are functions over that:
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
 * <li>{@link Trying}: READ and CAS for a caller that must not wait.
 * <li>{@link Keeping}: a position that nobody uses any more is kept (rules K1, K3, K6 and K7). {@link Wanting}: a newcomer asks for a kept lock
 * (rules K2 and K7). {@link Asking}: so does a caller that must not wait (rule K4).
 * <li>{@link ResetMember}: this node's part in a reset, which {@link LockReset} leads.
 * </ol>
 *
 * <p>No I/O, time or threads: an event comes in, {@link Effects} go out. The mutex given to the constructor guards every method and all
 * state, except the events {@link #deliver}, {@link #memberDied}, {@link #completed}, {@link #failed} and {@link #due}, which take it.
 */
public final class CqlLock implements LockChain.Events {
    private final LockState lock;
    private final ReentrantLock mutex;

    /**
     * Makes this node's side of the lock, without a position.
     *
     * @param epoch the record's full epoch when its name was resolved
     */
    public CqlLock(CqlEnvironment env, CqlUpper upper, ReentrantLock mutex, long record, long epoch) {
        this.mutex = mutex;
        this.lock = new LockState(env, upper, this, record, epoch);
    }

    /** Makes this node's side of a lock whose record was resolved just now. */
    public static CqlLock resolved(CqlEnvironment env, CqlUpper upper, ReentrantLock mutex, Resolution resolution) {
        CqlLock side = new CqlLock(env, upper, mutex, resolution.record(), resolution.epoch());
        if (!resolution.mayBeLeftBehind()) {
            side.lock.suspicion.hasNoOccasion();
        }
        return side;
    }

    /**
     * Makes this node's side of a lock that it held in the memory node's former life. The hold is one that survives a reset: its release is
     * put off, and the lock stays frozen, until the new epoch is known (rule H5).
     *
     * @param epoch full epoch of the lock in the former life, as far as this node knows
     */
    public static CqlLock restored(
            CqlEnvironment env, CqlUpper upper, ReentrantLock mutex, long record, long epoch, boolean exclusive) {
        CqlLock side = new CqlLock(env, upper, mutex, record, epoch);
        side.lock.position.want(exclusive, 0);
        side.lock.position.to(PositionState.HELD);
        side.lock.freeze();
        side.lock.acknowledge();
        return side;
    }

    // ---------------------------------------------------------------- requests of the level above

    /** Takes a position. State must be IDLE; if a reset is pending the position is taken when it is over. */
    public void acquire(boolean exclusive, int timestamp, Effects effects) {
        Acquisition.start(lock, exclusive, timestamp, effects);
    }

    /** Takes a position only if it is granted at once (rule D1). State must be IDLE and no reset pending. */
    public void tryAcquire(boolean exclusive, int timestamp, Effects effects) {
        Trying.start(lock, exclusive, timestamp, effects);
    }

    /** Gives the position back. State must be HELD and nothing converting. */
    public void release(Effects effects) {
        Release.start(lock, effects);
    }

    /**
     * Keeps the position although no caller holds the lock here. {@link CqlUpper#settled} follows, unless it is kept already. State must be HELD
     * and nothing converting.
     */
    public void keep(Effects effects) {
        Keeping.start(lock, effects);
    }

    /** Has a kept position go on being kept, if it will soon have no tokens left. A caller was granted the lock a moment ago. */
    public void renewKept(Effects effects) {
        Keeping.renew(lock, effects);
    }

    /** Returns whether the position has no token left and is about to get some, unless a remote waiter is met: {@link CqlUpper#settled} follows. */
    public boolean awaitsTokens() {
        return !lock.tenure.hasNextToken(true)
                && !lock.tenure.knowsRemote()
                && lock.position.isExclusive()
                && lock.isMarking(LockChain.Step.MARKED)
                && lock.mark().isAbout(lock.tenure.number());
    }

    /** Gives the position back and takes one at the tail, in one FAA. State must be HELD, nothing converting, no reset pending. */
    public void requeue(boolean exclusive, int timestamp, Effects effects) {
        if (lock.isWalled()) {
            // The next position is taken in the new epoch.
            Release.start(lock, effects);
            return;
        }
        Release.startRequeue(lock, exclusive, timestamp, effects);
    }

    /** Turns the exclusive position into a shared one; {@link CqlUpper#settled} follows. */
    public void downgrade(Effects effects) {
        Conversion.startDowngrade(lock, effects);
    }

    /** Tries to turn the shared position into the exclusive one; {@link CqlUpper#upgraded} follows (rule D3). */
    public void tryUpgrade(Effects effects) {
        Conversion.startUpgrade(lock, effects);
    }

    /** READs the remote queue unless this was done a moment ago; {@link CqlUpper#settled} follows. */
    public void prefetch(Effects effects) {
        Prefetch.start(lock, effects);
    }

    /** READs the remote queue, because the last READ is too old for a local hand-over; {@link CqlUpper#settled} follows. */
    public void look(Effects effects) {
        Prefetch.startNow(lock, effects);
    }

    /** Ends this side for good: the session has ended. */
    public void kill() {
        lock.position.to(PositionState.DEAD);
    }

    // ---------------------------------------------------------------- state for the level above

    /** Returns this node's state in the lock. */
    public PositionState state() {
        return lock.position.state();
    }

    /** Returns whether the position is exclusive. */
    public boolean isExclusive() {
        return lock.position.isExclusive();
    }

    /** Returns whether the position is marked as kept, or is being marked. It may have users. */
    public boolean isKept() {
        return lock.isKept();
    }

    /** Returns whether the head is being moved on to another index, which the position has then (rule K6). */
    public boolean isMoving() {
        return lock.isMarking(LockChain.Step.MARKED);
    }

    /** Returns whether a conversion is in flight, during which the position can neither be shared nor released. */
    public boolean isConverting() {
        return lock.position.isConverting();
    }

    /** Returns whether a READ of the remote queue is under way or planned, which ends with {@link CqlUpper#settled}. */
    public boolean isLooking() {
        return lock.isProbing() || lock.tenure.isLookPlanned();
    }

    /** Returns whether a reset stops local sharing and hand-over (rule B3). */
    public boolean isFrozen() {
        return lock.isFrozen();
    }

    /** Returns the environment of its session. */
    public CqlEnvironment environment() {
        return lock.env;
    }

    /** Returns the record's offset. */
    public long record() {
        return lock.position.record();
    }

    /** Returns the full epoch as this node knows it. */
    public long epoch() {
        return lock.position.epoch();
    }

    /** Returns the queue index of the position. */
    public int index() {
        return lock.position.index();
    }

    /**
     * Returns this node's claim in that epoch, in the terms of a HOLD_ANSWER (rule B10). A waiter does not hold the lock but claims a
     * position, and so does every operation that may be about to take one.
     */
    public int claimIn(long ofEpoch) {
        if (lock.position.holdsIn(ofEpoch)) {
            return PeerMessage.HOLDS;
        }
        return lock.position.is(PositionState.IDLE) && !lock.isChanging()
                ? PeerMessage.NO_POSITION
                : PeerMessage.HAS_POSITION;
    }

    /** Returns whether this side may be forgotten: no position, nothing in flight, no reset. */
    public boolean isForgettable() {
        return lock.isAtRest() || lock.position.is(PositionState.DEAD);
    }

    /** Returns the tenure: the knowledge during the present hold of the position. */
    public Tenure tenure() {
        return lock.tenure;
    }

    /** Returns the fencing token of the present local grant. */
    public long token() {
        return lock.tenure.token();
    }

    // ---------------------------------------------------------------- incoming events

    /** A peer's message for this lock arrived. */
    public void deliver(PeerMessage message) {
        event(effects -> {
            switch (message.kind()) {
                case GRANT -> PendingRequest.onGrant(lock, message, effects);
                case GRANT_REFUSED -> onGrantRefused(message, effects);
                case RESET_SIGNAL -> ResetMember.onSignal(lock, message, effects);
                case RESET_DONE -> ResetMember.onNewEpoch(lock, message.epoch(), effects);
                case WANTED -> Keeping.onWanted(lock, message, effects);
                case RETURNED -> goOn(Asking.onReturned(lock, message), effects);
                default -> {}
            }
        });
    }

    /** The memory node lets positions be taken again, and has written this lock's record with that epoch. */
    public void graceOver(long newEpoch) {
        event(effects -> ResetMember.onNewEpoch(lock, newEpoch, effects));
    }

    /** Handles the refusal of a grant that this node sent: its receiver is a later incarnation (rule C2). */
    private void onGrantRefused(PeerMessage refusal, Effects effects) {
        if (refusal.epoch() == lock.position.epoch()) {
            lock.requestReset(ResetReason.GRANT_REFUSED, effects);
        }
    }

    /** Another node asks the users whether anybody holds the lock, and will reset it if nobody does (rule B17). */
    public void othersAsk() {
        event(effects -> {
            lock.suspicion.othersAsk(effects.now());
            lock.waiting().ask(effects.now());
        });
    }

    /**
     * A compute node died. If this node waits, it asks at once whether any node holds the lock; otherwise it asks when a caller next finds
     * the lock taken.
     */
    public void memberDied() {
        event(effects -> {
            lock.suspicion.memberEnded();
            if (lock.position.is(PositionState.WAITING)) {
                lock.suspicion.takeOccasion();
                PendingRequest.ask(lock, effects);
            } else if (lock.isFrozen()) {
                lock.requestReset(ResetReason.STALLED_RESET, effects);
            }
        });
    }

    @Override
    public void completed(LockChain chain, VerbResults results) {
        try {
            // Like event(), but without a handler object for each operation.
            Effects effects = new Effects(lock.env.clock());
            mutex.lock();
            try {
                if (!lock.position.is(PositionState.DEAD)) {
                    take(chain, results, effects);
                    ResetMember.acknowledge(lock, effects);
                }
            } finally {
                mutex.unlock();
            }
            effects.perform(lock.env);
        } catch (RuntimeException | Error e) {
            lock.env.broken(e);
            throw e;
        }
    }

    private void take(LockChain chain, VerbResults results, Effects effects) {
        switch (chain.land()) {
            case ENQUEUED -> Acquisition.arrive(lock, results.value(0), effects);
            case REQUEUED -> Acquisition.arrive(lock, Release.onRequeued(lock, results, effects), effects);
            case RELEASED -> Release.onReleased(lock, results, effects);
            case EPOCH_LEARNT -> Acquisition.onEpochLearnt(lock, results, effects);
            case ENTRY_WRITTEN -> PendingRequest.onEntryWritten(lock, chain, results, effects);
            case MARKED -> Keeping.onMarked(lock, results, effects);
            case READERS_MARKED -> Keeping.onReadersMarked(lock, results, effects);
            case READERS_UNMARKED -> lock.upper.settled(effects);
            case UPGRADE_MARK_READ -> Conversion.onMarkRead(lock, results, effects);
            case TRY_MARK_READ -> Trying.onTryMarkRead(lock, results, effects);
            case TRY_READ -> Trying.onTryRead(lock, results, effects);
            case TRY_SWAPPED -> Trying.onTrySwapped(lock, results, effects);
            case DOWNGRADED -> Conversion.onDowngraded(lock, results, effects);
            case UPGRADE_READ -> Conversion.onUpgradeRead(lock, results, effects);
            case UPGRADE_SWAPPED -> Conversion.onUpgradeSwapped(lock, results, effects);
            case PREFETCHED -> Prefetch.onRead(lock, results, effects);
            case CHECKED -> {
                Prefetch.landed(lock, effects);
                PendingRequest.onChecked(lock, chain, results, effects);
            }
            case EPOCH_POLLED -> {
                ResetMember.onPolled(lock, results, effects);
                Prefetch.landed(lock, effects);
            }
            case REFETCHED -> Successors.onRead(lock, (Refetch) chain, results, effects);
        }
    }

    @Override
    public void failed(LockChain chain) {
        event(effects -> {
            if (chain.land() == LockChain.Step.REFETCHED) {
                Successors.onReadFailed(lock);
            }
        });
    }

    @Override
    public void outcomeUnknown(LockChain chain) {
        event(effects -> {
            if (chain.hasAtomic()) {
                lock.doubt(effects);
                take(chain, UnknownOutcome.asInReset(lock.position.epoch()), effects);
                Freeze.poll(lock, effects);
            } else if (chain.onlyReads()) {
                effects.post(chain);
            } else {
                // The self-check of a waiter sees whether its entry was written.
                take(chain, UnknownOutcome.asInReset(lock.position.epoch()), effects);
            }
        });
    }

    @Override
    public void due(LockTimer timer, int tenure) {
        event(effects -> {
            switch (timer) {
                case SELF_CHECK -> PendingRequest.onCheckDue(lock, effects);
                case LOOK -> Prefetch.onDue(lock, tenure, effects);
                case RESET_POLL -> ResetMember.onPollDue(lock, effects);
            }
        });
    }

    @Override
    public void usersAsked(long question, int users) {
        event(effects -> goOn(Asking.onUsersAsked(lock, question, users), effects));
    }

    @Override
    public void answersDue(long question) {
        event(effects -> goOn(Asking.onAnswersDue(lock, question), effects));
    }

    @Override
    public void due(LockChain chain) {
        event(effects -> Successors.read(lock, (Refetch) chain, effects));
    }

    /** Goes on with a caller that has asked for a lock that is kept. */
    private void goOn(Asking.Outcome outcome, Effects effects) {
        boolean trying = lock.position.is(PositionState.TRYING);
        if (outcome == Asking.Outcome.AGAIN && trying) {
            Trying.readHeader(lock, effects);
        } else if (outcome == Asking.Outcome.AGAIN) {
            Conversion.readHeader(lock, effects);
        } else if (outcome == Asking.Outcome.REFUSED && trying) {
            Trying.notGranted(lock, lock.op.header(), effects);
        } else if (outcome == Asking.Outcome.REFUSED) {
            Conversion.endUpgrade(lock, false, effects);
        }
    }

    /** Handles one event under the mutex and performs its effects outside of it. */
    private void event(Consumer<Effects> handler) {
        Effects effects = new Effects(lock.env.clock());
        mutex.lock();
        try {
            if (!lock.position.is(PositionState.DEAD)) {
                handler.accept(effects);
                ResetMember.acknowledge(lock, effects);
            }
        } finally {
            mutex.unlock();
        }
        effects.perform(lock.env);
    }

    @Override
    public String toString() {
        return lock.toString();
    }
}
