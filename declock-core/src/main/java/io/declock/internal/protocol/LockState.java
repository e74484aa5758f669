// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.GrantKind;
import io.declock.internal.layout.QueueEntry;
import org.jspecify.annotations.Nullable;

/**
 * The state of one compute node's side of one lock record, with what must hold between its parts. The mechanisms are functions over it;
 * it knows none of them. Guarded by the lock's mutex, except the final fields.
 */
final class LockState {
    final CqlEnvironment env;
    final CqlUpper upper;
    /** Receives the chains and timers that a function starts. */
    final LockChain.Events events;

    final Position position;
    final Tenure tenure = new Tenure();
    final Suspicion suspicion = new Suspicion();
    /** Changes the header. */
    final LockChain op;
    // What follows is made when it is first needed: most locks need none of it, and a process may have a hundred
    // thousand.
    private @Nullable LockChain probe;
    private @Nullable LockChain entryWrite;
    private @Nullable LockChain mark;
    private @Nullable Waiting waiting;
    private @Nullable Wish wish;

    /** The epoch in which the queue was seen to have reached the wall. */
    private long walledEpoch = -1;
    /** Number of hand-overs that wait for a READ of the queue. */
    private int refetching;

    // What this node has seen of a reset.
    private boolean frozen;
    private boolean acknowledged;
    /** Whether the header counts a position of this node is not known (rule G6). */
    private boolean inDoubt;

    private boolean unanswered;
    private boolean polling;
    private int polls;
    private int initiator;
    private int initiatorIncarnation;
    private long frozenSince;

    LockState(CqlEnvironment env, CqlUpper upper, LockChain.Events events, long record, long epoch) {
        this.env = env;
        this.upper = upper;
        this.events = events;
        this.position = new Position(env.layout(), record, epoch);
        this.op = new LockChain(events, 2);
    }

    // ---------------------------------------------------------------- chains

    /** Returns the chain that READs. */
    LockChain probe() {
        LockChain chain = probe;
        if (chain == null) {
            chain = new LockChain(events, 2);
            probe = chain;
        }
        return chain;
    }

    boolean isProbing() {
        return probe != null && probe.isInFlight();
    }

    /** Returns the chain that WRITEs the queue entry. */
    LockChain entryWrite() {
        LockChain chain = entryWrite;
        if (chain == null) {
            chain = new LockChain(events, 2);
            entryWrite = chain;
        }
        return chain;
    }

    boolean isWritingEntry() {
        return entryWrite != null && entryWrite.isInFlight();
    }

    /** Returns the chain that marks the position as kept, or takes the readers' mark away. */
    LockChain mark() {
        LockChain chain = mark;
        if (chain == null) {
            chain = new LockChain(events, 2);
            mark = chain;
        }
        return chain;
    }

    boolean isMarking() {
        return mark != null && mark.isInFlight();
    }

    /** Returns whether the chain that marks is in flight for that step. */
    boolean isMarking(LockChain.Step which) {
        return mark != null && mark.isUnderWay(which);
    }

    // ---------------------------------------------------------------- waiting and wishes

    /** Returns what is known while the position waits. */
    Waiting waiting() {
        Waiting known = waiting;
        if (known == null) {
            known = new Waiting();
            waiting = known;
        }
        return known;
    }

    /** Returns what is known of wishes for the lock. */
    Wish wish() {
        Wish known = wish;
        if (known == null) {
            known = new Wish();
            wish = known;
        }
        return known;
    }

    /** Returns whether any wish for the lock has been known: the own one or another compute node's. */
    boolean hasWish() {
        return wish != null;
    }

    // ---------------------------------------------------------------- the position

    /** The position holds the lock from now on; no waiters are known. */
    void hold(GrantKind kind, Effects effects) {
        hold(kind, QueueEntry.NONE, -1, effects);
    }

    /**
     * The position holds the lock from now on.
     *
     * @param ahead entries known to follow it
     * @param earliest the earliest timestamp among all known waiters, or -1
     */
    void hold(GrantKind kind, long[] ahead, long earliest, Effects effects) {
        position.to(PositionState.HELD);
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

    /** Returns the entry of the position while it waits. */
    long ownEntry() {
        return QueueEntry.pack(
                position.isExclusive(),
                env.nodeId(),
                env.incarnation(),
                position.layout().version(position.index()),
                position.epoch(),
                position.timestamp());
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

    /** Returns whether the header of a lock that was found taken gives reason to ask its users whether they hold it. */
    boolean isSuspicious(long header, long now) {
        return suspicion.arises(header, now, env.settings().suspectAfter().toNanos());
    }

    void requestReset(ResetReason reason, Effects effects) {
        long ofEpoch = position.epoch();
        effects.run(() -> env.requestReset(position.record(), ofEpoch, reason));
    }

    // ---------------------------------------------------------------- operations under way

    /** Returns whether an FAA, CAS or WRITE of this lock is in flight, which delays the acknowledgement of a reset (rule B4). */
    boolean isChanging() {
        return op.isInFlight() || isWritingEntry() || isMarking();
    }

    /** Returns whether there is no position, and nothing in flight or awaited. */
    boolean isAtRest() {
        return position.is(PositionState.IDLE)
                && !op.isInFlight()
                && !isWritingEntry()
                && !isMarking()
                && !isProbing()
                && !frozen
                && refetching == 0;
    }

    /** Counts a hand-over that begins (1) or ends (-1) to wait for a READ of the queue. */
    void countRefetching(int change) {
        refetching += change;
    }

    /** Starts a timer. */
    void start(LockTimer timer, long delayNanos, Effects effects) {
        int inTenure = tenure.number();
        effects.run(() -> env.timer().schedule(delayNanos, () -> events.due(timer, inTenure)));
    }

    /** Asks every other user of the record to give back what it keeps of it for nobody (rules K4 and K7). */
    void askUsers(long question, long[] ownEntry, Effects effects) {
        long record = position.record();
        long epoch = position.epoch();
        effects.run(() -> env.askUsers(record, epoch, question, ownEntry)
                .whenComplete((users, failure) -> events.usersAsked(question, failure == null ? users : 0)));
    }

    /** Returns whether the position is marked as kept, or is being marked. */
    boolean isKept() {
        return tenure.isMarked() || isMarking(LockChain.Step.MARKED) || isMarking(LockChain.Step.READERS_MARKED);
    }

    /** Starts the pause before a chain is posted again. */
    void pause(LockChain chain, long delayNanos, Effects effects) {
        effects.run(() -> env.timer().schedule(delayNanos, () -> events.due(chain)));
    }

    // ---------------------------------------------------------------- what was seen of a reset

    /** Freezes the lock, if it is not frozen: no local sharing, no hand-over, no grant (rule B3). */
    void freeze() {
        if (!frozen) {
            frozen = true;
            acknowledged = false;
            polls = 0;
            frozenSince = env.clock().nanoTime();
        }
    }

    /** Returns whether a reset stops local sharing and hand-over. */
    boolean isFrozen() {
        return frozen;
    }

    /** Returns whether a frozen lock has not been examined for that long; if so, it is examined now. */
    boolean isStalled(long nanos) {
        long now = env.clock().nanoTime();
        boolean stalled = now - frozenSince > nanos;
        if (stalled) {
            frozenSince = now;
        }
        return stalled;
    }

    /** The initiator's signal has arrived, and must be answered. */
    void signalled(int byNode, int byIncarnation) {
        initiator = byNode;
        initiatorIncarnation = byIncarnation;
        unanswered = true;
    }

    /** Returns whether a signal is unanswered, so that it must be tried to answer it after every event. */
    boolean isUnanswered() {
        return unanswered;
    }

    int initiator() {
        return initiator;
    }

    int initiatorIncarnation() {
        return initiatorIncarnation;
    }

    /** The signal is answered, with the present hold. */
    void acknowledge() {
        unanswered = false;
        acknowledged = true;
    }

    /** Returns whether this node has answered the signal. */
    boolean hasAcknowledged() {
        return acknowledged;
    }

    /** Returns whether the release of a hold must be put off: this node has acknowledged it, or the header may count it otherwise. */
    boolean keepsHold() {
        return frozen && (acknowledged || isInDoubt());
    }

    /** It will never be known whether an FAA or CAS of this node was executed: the lock is frozen until a reset is over (rule G6). */
    void doubt(Effects effects) {
        freeze();
        inDoubt = true;
        requestReset(ResetReason.OUTCOME_UNKNOWN, effects);
    }

    /** Returns whether what the header counts for this node is in doubt. */
    boolean isInDoubt() {
        return inDoubt;
    }

    /** Begins to poll the epoch; returns false if a timer for that runs already. */
    boolean beginPolling() {
        boolean first = !polling;
        polling = true;
        return first;
    }

    /** The timer has run. */
    void pollDue() {
        polling = false;
    }

    /** Returns how often the epoch was polled before in this reset, and counts one more. */
    int countPoll() {
        return polls++;
    }

    /** The reset is over. */
    void thaw() {
        frozen = false;
        acknowledged = false;
        inDoubt = false;
        unanswered = false;
    }

    @Override
    public String toString() {
        return position + (frozen ? " reset pending" : "");
    }
}
