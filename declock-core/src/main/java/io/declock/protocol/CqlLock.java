// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocol;

import io.declock.fabric.FabricException;
import io.declock.fabric.Member;
import io.declock.fabric.PeerMessage;
import io.declock.fabric.Purpose;
import io.declock.fabric.VerbChain;
import io.declock.fabric.VerbResults;
import io.declock.layout.FencingToken;
import io.declock.layout.LockHeader;
import io.declock.layout.QueueEntry;
import io.declock.layout.RecordLayout;
import io.declock.monitor.Counters.Event;
import io.declock.monitor.GrantKind;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Cooperative queue-notify locking: one compute node's side of one lock record, in one session (DecLock, section 4). At any time
 * it has at most one position in the lock's queue.
 *
 * <ol>
 *   <li><b>Acquire:</b> one FAA takes a position and tells whether it holds (workflow 1). If not, the pending request is
 *       registered, the queue entry is written and a grant is awaited (workflow 2).
 *   <li><b>Release:</b> one FAA gives the position back, chained with a READ of the queue; {@link HandOver} finds the
 *       successors and each is sent one message (workflows 3 to 5). A release that wants to come back does both in one FAA.
 *   <li><b>Pre-armed hand-over:</b> a writer that knows its successor sends the grant before its FAA.
 *   <li><b>Self-check:</b> a waiter reads the record now and then and helps itself.
 *   <li><b>Reset:</b> see {@link ResetMember}, which decides what this node says about the lock, and {@link LockReset}.
 * </ol>
 *
 * <p>No I/O, time or threads: an event comes in, {@link Effects} go out. Every method and field is guarded by the mutex given to
 * the constructor, but for the chains' completions, which take it.
 */
public final class CqlLock {
    /** What this node has of the lock. */
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
        /** A reset took the position; a new epoch is awaited. */
        ABORTED,
        /** Released by its last user while a reset kept it alive; the FAA follows in the new epoch (rule B12). */
        PUT_OFF,
        /** The session has ended. */
        DEAD
    }

    private final CqlEnvironment env;
    private final CqlUpper upper;
    private final ReentrantLock mutex;
    private final long record;
    private final RecordLayout layout;
    private final ResetMember reset;
    private final Tenure tenure = new Tenure();

    private final Chain op = new Chain();
    private final Chain entryWrite = new Chain();
    private final Chain probe = new Chain();

    private State state = State.IDLE;
    private long epoch;
    private int index;
    private boolean exclusive;
    private int timestamp;
    private boolean converting;

    private boolean leavingExclusive;
    private int leavingIndex;
    private int preArmedEnd;
    private boolean overflowed;
    private boolean entryOutdated;

    private long waitingSince;
    private long lastAsked;
    private int checks;
    private boolean checkArmed;
    private int refetching;

    /**
     * Makes the side of this node, without a position.
     *
     * @param epoch the record's full epoch when its name was resolved
     */
    public CqlLock(CqlEnvironment env, CqlUpper upper, ReentrantLock mutex, long record, long epoch) {
        this.env = env;
        this.upper = upper;
        this.mutex = mutex;
        this.record = record;
        this.layout = env.layout();
        this.epoch = epoch;
        this.reset = new ResetMember(env, this);
    }

    // ---------------------------------------------------------------- what the level above asks for

    /** Takes a position. State must be IDLE; if a reset is pending the position is taken when it is over. */
    public void acquire(boolean exclusive, int timestamp, Effects effects) {
        expect(State.IDLE);
        this.exclusive = exclusive;
        this.timestamp = timestamp;
        if (reset.isPending()) {
            state = State.ABORTED;
            return;
        }
        state = State.ENQUEUING;
        env.counters().count(Event.REMOTE_ACQUISITION);
        op.use(Step.ENQUEUED, effects)
                .begin(Purpose.ACQUIRE)
                .fetchAndAdd(layout.header(record), LockHeader.acquire(exclusive));
    }

    /** Takes a position only if that is granted at once (rule D1). State must be IDLE and no reset pending. */
    public void tryAcquire(boolean exclusive, int timestamp, Effects effects) {
        expect(State.IDLE);
        this.exclusive = exclusive;
        this.timestamp = timestamp;
        state = State.TRYING;
        env.counters().count(Event.REMOTE_ACQUISITION);
        op.use(Step.TRY_READ, effects).begin(Purpose.CONVERT).read(layout.header(record), 1);
    }

    /** Gives the position back. State must be HELD and nothing converting. */
    public void release(Effects effects) {
        expect(State.HELD);
        if (reset.keepsHold()) {
            state = State.PUT_OFF;
            return;
        }
        boolean read = env.settings().readWithRelease() || tenure.knowsRemote;
        leave(effects);
        state = State.LEAVING;
        VerbChain chain = op.use(Step.RELEASED, effects)
                .begin(Purpose.RELEASE)
                .fetchAndAdd(layout.header(record), LockHeader.release(leavingExclusive));
        if (read) {
            chain.read(record, layout.words());
        }
    }

    /** Gives the position back and takes one at the tail, in one FAA. State must be HELD, nothing converting, no reset pending. */
    public void requeue(boolean exclusive, int timestamp, Effects effects) {
        expect(State.HELD);
        leave(effects);
        this.exclusive = exclusive;
        this.timestamp = timestamp;
        state = State.REQUEUING;
        env.counters().count(Event.REMOTE_ACQUISITION);
        op.use(Step.REQUEUED, effects)
                .begin(Purpose.REQUEUE)
                .fetchAndAdd(layout.header(record), LockHeader.requeue(leavingExclusive, exclusive))
                .read(record, layout.words());
    }

    /** Turns the exclusive position into a shared one; {@link CqlUpper#settled} follows. */
    public void downgrade(Effects effects) {
        expect(State.HELD);
        converting = true;
        op.use(Step.DOWNGRADED, effects)
                .begin(Purpose.CONVERT)
                .fetchAndAdd(layout.header(record), LockHeader.downgrade())
                .read(record, layout.words());
    }

    /** Tries to turn the shared position into the exclusive one; {@link CqlUpper#upgraded} follows (rule D3). */
    public void tryUpgrade(Effects effects) {
        expect(State.HELD);
        converting = true;
        op.use(Step.UPGRADE_READ, effects).begin(Purpose.CONVERT).read(layout.header(record), 1);
    }

    /** Looks at the remote queue unless that is known or was done a moment ago; {@link CqlUpper#settled} follows. */
    public void prefetch(Effects effects) {
        if (state != State.HELD || tenure.knowsRemote || probe.inFlight || reset.isPending()) {
            return;
        }
        long now = env.clock().nanoTime();
        if (now - tenure.lookedAt < env.settings().prefetchInterval().toNanos() * tenure.patience) {
            return;
        }
        tenure.lookedAt = now;
        tenure.patience = 1;
        probe.tenure = tenure.number;
        probe.use(Step.PREFETCHED, effects).begin(Purpose.PREFETCH).read(record, layout.words());
    }

    /** Ends this side for good: the session is over. */
    public void kill() {
        state = State.DEAD;
    }

    // ---------------------------------------------------------------- what the level above may know

    /** Returns what this node has of the lock. */
    public State state() {
        return state;
    }

    /** Returns whether the position is exclusive. */
    public boolean isExclusive() {
        return exclusive;
    }

    /** Returns whether a conversion is in flight, during which the position can neither be shared nor released. */
    public boolean isConverting() {
        return converting;
    }

    /** Returns whether a reset stops local sharing and hand-over (rule B3). */
    public boolean isFrozen() {
        return reset.isPending();
    }

    /** Returns the session it belongs to. */
    public CqlEnvironment environment() {
        return env;
    }

    /** Returns the record's offset. */
    public long record() {
        return record;
    }

    /** Returns the full epoch as far as known here. */
    public long epoch() {
        return epoch;
    }

    /** Returns the queue index of the position. */
    public int index() {
        return index;
    }

    /** Returns whether this side may be forgotten: no position, nothing in flight, no reset. */
    public boolean isForgettable() {
        return (state == State.IDLE
                        && !op.inFlight
                        && !entryWrite.inFlight
                        && !probe.inFlight
                        && !reset.isPending()
                        && refetching == 0)
                || state == State.DEAD;
    }

    /** Returns the tenure: what is known during the present hold of the position. */
    public Tenure tenure() {
        return tenure;
    }

    /** Returns the fencing token of the present local grant. */
    public long token() {
        return FencingToken.pack(tenure.tokenEpoch, tenure.tokenIndex, tenure.sequence);
    }

    // ---------------------------------------------------------------- acquiring

    private void onEnqueued(VerbResults results, Effects effects) {
        arrive(results.value(0), effects);
    }

    private void onRequeued(VerbResults results, Effects effects) {
        long found = results.value(0);
        if (mayGrantAfter(found)) {
            handOver(
                    HandOver.afterRelease(layout, epoch, found, leavingIndex, leavingExclusive),
                    results,
                    1,
                    false,
                    effects);
        }
        arrive(found + LockHeader.release(leavingExclusive), effects);
    }

    /**
     * A position was taken in front of which {@code before} was the header. If a reset was signalled meanwhile, a position that
     * holds the lock is acknowledged as such, and one that would have to wait is given up like any other (rules B4 and B6).
     */
    private void arrive(long before, Effects effects) {
        if (isTakenInReset(before)) {
            abort(effects);
            return;
        }
        if (!isOfEpoch(before)) {
            state = State.LEARNING;
            op.header = before;
            op.use(Step.EPOCH_LEARNT, effects).begin(Purpose.RESET).read(layout.epoch(record), 1);
            return;
        }
        index = LockHeader.tail(before);
        overflowed = isBeyondCapacity(before);
        checkRange(before, effects);
        if (LockHeader.grants(before, exclusive)) {
            hold(GrantKind.UNCONTENDED, NONE, -1, effects);
            return;
        }
        if (!mayWait()) {
            abort(effects);
            return;
        }
        state = State.WAITING;
        waitingSince = env.clock().nanoTime();
        lastAsked = waitingSince;
        checks = 0;
        if (overflowed) {
            requestReset(ResetReason.OVERFLOW, effects);
        } else {
            writeEntry(effects);
        }
        armCheck(effects);
    }

    private boolean mayWait() {
        return !reset.isPending();
    }

    /** A position taken while a reset is under way is no position (rule B1). */
    private static boolean isTakenInReset(long before) {
        return LockHeader.resetId(before) != 0;
    }

    /** The slot of a position beyond the capacity belongs to somebody else (rule A9). */
    private boolean isBeyondCapacity(long before) {
        return LockHeader.size(before) >= layout.capacity();
    }

    private void onEpochLearnt(VerbResults results, Effects effects) {
        long learnt = ResetMember.fullEpoch(op.header, results.value(0));
        if (learnt != epoch) {
            epoch = learnt;
            reset.over();
        }
        arrive(op.header, effects);
    }

    private void writeEntry(Effects effects) {
        if (entryWrite.inFlight) {
            entryOutdated = true;
            return;
        }
        entryOutdated = false;
        long entry =
                QueueEntry.pack(exclusive, env.nodeId(), env.incarnation(), layout.version(index), epoch, timestamp);
        entryWrite.use(Step.ENTRY_WRITTEN, effects).begin(Purpose.ENTRY).write(layout.entry(record, index), entry);
    }

    private void onEntryWritten(Effects effects) {
        if (entryOutdated && state == State.WAITING && !overflowed) {
            writeEntry(effects);
        }
    }

    private void hold(GrantKind kind, long[] ahead, long earliest, Effects effects) {
        state = State.HELD;
        tenure.begin(epoch, index, env.clock().nanoTime());
        tenure.learn(ahead, (int) earliest);
        // The FAA has just shown that nobody waits; the next renewal of the position shows it again.
        tenure.patience = kind == GrantKind.UNCONTENDED ? Tenure.PATIENCE : 1;
        upper.granted(kind, effects);
    }

    private void onTryRead(VerbResults results, Effects effects) {
        long header = results.value(0);
        if (!mayCas(header) || !LockHeader.grants(header, exclusive)) {
            state = State.IDLE;
            noticeReset(header, effects);
            upper.notGranted(effects);
            return;
        }
        op.header = header;
        op.use(Step.TRY_SWAPPED, effects)
                .begin(Purpose.CONVERT)
                .compareAndSwap(layout.header(record), header, header + LockHeader.acquire(exclusive));
    }

    private void onTrySwapped(VerbResults results, Effects effects) {
        if (results.value(0) != op.header) {
            onTryRead(results, effects);
            return;
        }
        index = LockHeader.tail(op.header);
        checkRange(op.header, effects);
        hold(GrantKind.UNCONTENDED, NONE, -1, effects);
    }

    private void noticeReset(long header, Effects effects) {
        if (LockHeader.resetId(header) != 0 || !isOfEpoch(header)) {
            reset.seen(effects);
        }
    }

    private boolean isOfEpoch(long header) {
        return LockHeader.epoch(header) == (int) (epoch & LockHeader.EPOCH_MASK);
    }

    private boolean mayCas(long header) {
        return LockHeader.resetId(header) == 0 && isOfEpoch(header) && LockHeader.size(header) < layout.capacity();
    }

    /** A peer's message for this lock arrived. */
    public void deliver(PeerMessage message) {
        event(effects -> {
            switch (message.kind()) {
                case GRANT -> onGrant(message, effects);
                case GRANT_REFUSED -> onGrantRefused(message, effects);
                case RESET_SIGNAL -> reset.onSignal(message, effects);
                case RESET_DONE -> onNewEpoch(message.epoch(), effects);
                default -> {}
            }
        });
    }

    /** A grant arrived (rule A5: it counts only on an exact match). */
    private void onGrant(PeerMessage grant, Effects effects) {
        if (!isForPending(grant)) {
            env.counters().count(Event.GRANT_IGNORED);
            return;
        }
        hold(GrantKind.PEER, grant.entries(), grant.detail() - 1, effects);
    }

    private boolean isForPending(PeerMessage grant) {
        return state == State.WAITING && grant.epoch() == epoch && grant.index() == index;
    }

    // ---------------------------------------------------------------- waiting

    private void armCheck(Effects effects) {
        if (checkArmed) {
            return;
        }
        checkArmed = true;
        long interval = env.settings().selfCheckInterval().toNanos() << Math.min(checks, 4);
        long delay = interval + env.random().below(interval / 2);
        effects.run(() -> env.timer().schedule(delay, this::checkDue));
    }

    private void checkDue() {
        event(effects -> {
            checkArmed = false;
            if (state != State.WAITING) {
                return;
            }
            long interval = env.settings().selfCheckInterval().toNanos();
            if (env.clock().nanoTime() - waitingSince >= interval && !probe.inFlight && env.leaseValid()) {
                checks++;
                env.counters().count(Event.SELF_CHECK);
                probe.tenure = index;
                probe.use(Step.CHECKED, effects).begin(Purpose.SELF_CHECK).read(record, layout.words());
            }
            armCheck(effects);
        });
    }

    private void onChecked(VerbResults results, Effects effects) {
        if (state != State.WAITING || probe.tenure != index) {
            return;
        }
        switch (SelfCheck.judge(layout, epoch, index, exclusive, results)) {
            case GRANTED -> {
                env.counters().count(Event.SELF_CHECK_GRANT);
                hold(GrantKind.QUEUED, NONE, -1, effects);
            }
            case ENTRY_MISSING -> {
                if (!overflowed) {
                    writeEntry(effects);
                }
                suspect(effects);
            }
            case WAIT -> suspect(effects);
            case RESET, OTHER_EPOCH -> abort(effects);
        }
    }

    private void suspect(Effects effects) {
        long now = env.clock().nanoTime();
        if (now - lastAsked >= env.settings().suspectAfter().toNanos()) {
            lastAsked = now;
            requestReset(ResetReason.SUSPECTED, effects);
        }
    }

    /** A compute node died: a waiter asks at once whether anybody holds the lock. */
    public void memberDied() {
        event(effects -> {
            if (state == State.WAITING) {
                lastAsked = env.clock().nanoTime();
                requestReset(ResetReason.SUSPECTED, effects);
            } else if (reset.isPending()) {
                requestReset(ResetReason.STALLED_RESET, effects);
            }
        });
    }

    // ---------------------------------------------------------------- releasing and handing over

    private void leave(Effects effects) {
        leavingExclusive = exclusive;
        leavingIndex = index;
        preArmedEnd = 0;
        if (mayPreArm()) {
            preArm(effects);
        }
        tenure.end();
    }

    private void preArm(Effects effects) {
        long[] ahead = tenure.ahead;
        int next = index + 1;
        for (int i = 0; i < ahead.length; i++, next++) {
            long entry = ahead[i];
            if (!QueueEntry.isValid(entry, layout.version(next), epoch)) {
                return;
            }
            boolean writer = QueueEntry.isExclusive(entry);
            if (isBehindReaders(writer, i)) {
                return;
            }
            if (!sendGrant(
                    epoch,
                    next,
                    entry,
                    writer ? Arrays.copyOfRange(ahead, 1, ahead.length) : NONE,
                    tenure.earliestAfter(i, !writer),
                    effects)) {
                return;
            }
            env.counters().count(Event.HAND_OVER_PRE_ARMED);
            preArmedEnd = next + 1;
            if (writer) {
                return;
            }
        }
    }

    private boolean mayPreArm() {
        return exclusive && env.settings().preArmedHandOver() && !reset.isPending();
    }

    private static boolean isBehindReaders(boolean writer, int i) {
        return writer && i > 0;
    }

    /** An FAA that met a reset gives nothing to anybody: the new epoch will (rule B11). */
    private static boolean mayGrantAfter(long found) {
        return LockHeader.resetId(found) == 0;
    }

    private void onReleased(VerbResults results, Effects effects) {
        state = State.IDLE;
        long found = results.value(0);
        if (mayGrantAfter(found)) {
            checkRange(found, effects);
            HandOver handOver = HandOver.afterRelease(layout, epoch, found, leavingIndex, leavingExclusive);
            if (op.size() > 1) {
                handOver(handOver, results, 1, false, effects);
            } else if (handOver.hasDuty()) {
                new Refetch(handOver, Purpose.RELEASE).start(effects);
            }
        }
        noticeReset(found, effects);
        upper.vacant(effects);
    }

    private void handOver(HandOver handOver, VerbResults queue, int verb, boolean refetched, Effects effects) {
        HandOver.Step step = handOver.evaluate(
                queue,
                verb,
                refetched,
                (next, entry, words, v) -> grantPosition(handOver, next, entry, words, v, effects));
        if (step == HandOver.Step.REFETCH) {
            new Refetch(handOver, Purpose.REFETCH).start(effects);
        }
    }

    private void grantPosition(HandOver handOver, int next, long entry, VerbResults queue, int verb, Effects effects) {
        if (next < preArmedEnd && handOver.epoch() == epoch && next > leavingIndex) {
            return;
        }
        long[] followers = QueueEntry.isExclusive(entry) ? followers(handOver, next + 1, queue, verb) : NONE;
        int earliest = earliest(handOver, next + 1, !QueueEntry.isExclusive(entry), queue, verb);
        if (!sendGrant(handOver.epoch(), next, entry, followers, earliest, effects)
                && QueueEntry.nodeId(entry) != env.nodeId()) {
            requestReset(ResetReason.DEAD_SUCCESSOR, effects);
        }
    }

    private long[] followers(HandOver handOver, int from, VerbResults queue, int verb) {
        int count = 0;
        while (count < PeerMessage.MAX_ENTRIES
                && from + count < handOver.end()
                && QueueEntry.isValid(
                        queue.word(verb, 2 + layout.slot(from + count)),
                        layout.version(from + count),
                        handOver.epoch())) {
            count++;
        }
        long[] entries = count == 0 ? NONE : new long[count];
        for (int i = 0; i < count; i++) {
            entries[i] = queue.word(verb, 2 + layout.slot(from + i));
        }
        return entries;
    }

    /** Returns the earliest timestamp of the filled entries from an index on, or -1 (rule E4: none is not zero). */
    private int earliest(HandOver handOver, int from, boolean ofWriters, VerbResults queue, int verb) {
        int earliest = -1;
        for (int i = from; i < handOver.end(); i++) {
            long entry = queue.word(verb, 2 + layout.slot(i));
            if (QueueEntry.isValid(entry, layout.version(i), handOver.epoch())
                    && (!ofWriters || QueueEntry.isExclusive(entry))) {
                earliest = Tenure.earlier(earliest, QueueEntry.timestamp(entry));
            }
        }
        return earliest;
    }

    private boolean sendGrant(long ofEpoch, int next, long entry, long[] followers, int earliest, Effects effects) {
        Member member = env.membership().byNodeId(QueueEntry.nodeId(entry));
        if (member == null
                || !QueueEntry.sameIncarnation(entry, member.incarnation())
                || member.nodeId() == env.nodeId()) {
            return false;
        }
        env.counters().count(Event.HAND_OVER);
        effects.send(
                member,
                new PeerMessage(
                        PeerMessage.Kind.GRANT,
                        env.memoryNode(),
                        env.nodeId(),
                        env.incarnation(),
                        member.nodeId(),
                        member.incarnation(),
                        record,
                        ofEpoch,
                        next,
                        earliest + 1L,
                        followers));
        return true;
    }

    /**
     * Reads the record after a release whose FAA was posted alone, or again until every entry that matters is filled, or gives up
     * and leaves it to the waiter's self-check.
     */
    private final class Refetch extends VerbChain {
        private final HandOver handOver;
        private Purpose why;
        private int attempts;

        Refetch(HandOver handOver, Purpose why) {
            this.handOver = handOver;
            this.why = why;
        }

        void start(Effects effects) {
            refetching++;
            post(effects);
        }

        private void post(Effects effects) {
            if (why == Purpose.REFETCH) {
                env.counters().count(Event.REFETCH);
                attempts++;
            }
            begin(why).read(record, layout.words());
            why = Purpose.REFETCH;
            effects.post(this);
        }

        @Override
        public void completed(VerbResults results) {
            event(effects -> {
                boolean current = state != State.DEAD && handOver.epoch() == epoch && !reset.isPending();
                if (!current || attempts > env.settings().refetchLimit()) {
                    end(effects);
                } else if (handOver.evaluate(
                                results,
                                0,
                                true,
                                (next, entry, words, v) -> grantPosition(handOver, next, entry, words, v, effects))
                        == HandOver.Step.REFETCH) {
                    long pause = env.settings().refetchInterval().toNanos() << Math.min(attempts, 6);
                    effects.run(() -> env.timer().schedule(pause, () -> event(this::post)));
                } else {
                    end(effects);
                }
            });
        }

        private void end(Effects effects) {
            refetching--;
        }

        @Override
        public void failed(FabricException cause) {
            event(this::end);
        }
    }

    // ---------------------------------------------------------------- conversions and the look at the queue

    private void onDowngraded(VerbResults results, Effects effects) {
        converting = false;
        exclusive = false;
        tenure.forgetRemote();
        long found = results.value(0);
        if (mayGrantAfter(found)) {
            handOver(HandOver.afterDowngrade(layout, epoch, found, index), results, 1, false, effects);
        }
        upper.settled(effects);
    }

    private void onUpgradeRead(VerbResults results, Effects effects) {
        long header = results.value(0);
        if (!isAlone(header) || reset.isPending() || !tenure.canUpgradeTo(LockHeader.head(header))) {
            endUpgrade(false, effects);
            return;
        }
        op.header = header;
        op.use(Step.UPGRADE_SWAPPED, effects)
                .begin(Purpose.CONVERT)
                .compareAndSwap(layout.header(record), header, header - LockHeader.downgrade());
    }

    private boolean isAlone(long header) {
        return mayCas(header) && LockHeader.size(header) == 1 && LockHeader.writers(header) == 0;
    }

    private void onUpgradeSwapped(VerbResults results, Effects effects) {
        if (results.value(0) != op.header) {
            onUpgradeRead(results, effects);
            return;
        }
        exclusive = true;
        index = LockHeader.head(op.header);
        tenure.upgrade(index);
        endUpgrade(true, effects);
    }

    private void endUpgrade(boolean success, Effects effects) {
        converting = false;
        upper.upgraded(success, effects);
    }

    private void onPrefetched(VerbResults results, Effects effects) {
        long header = results.word(0, 0);
        if (state != State.HELD
                || probe.tenure != tenure.number
                || LockHeader.resetId(header) != 0
                || !isOfEpoch(header)) {
            return;
        }
        boolean someone = exclusive ? LockHeader.size(header) > 1 : LockHeader.writers(header) > 0;
        if (someone) {
            HandOver window = HandOver.afterRelease(layout, epoch, header, index, exclusive);
            long[] entries = exclusive ? followers(window, index + 1, results, 0) : NONE;
            tenure.learnWaiter(entries, earliest(window, index + 1, !exclusive, results, 0));
            upper.settled(effects);
        }
    }

    // ---------------------------------------------------------------- resets

    /** A reset is over. */
    void onNewEpoch(long newEpoch, Effects effects) {
        if (newEpoch <= epoch || state == State.DEAD) {
            return;
        }
        epoch = newEpoch;
        preArmedEnd = 0;
        reset.over();
        switch (state) {
            case HELD -> {
                index = 0;
                tenure.survive(epoch);
                upper.settled(effects);
            }
            case PUT_OFF -> {
                index = 0;
                state = State.HELD;
                tenure.forgetRemote();
                release(effects);
            }
            case ABORTED, WAITING -> {
                env.counters().count(Event.RETRY_AFTER_RESET);
                state = State.IDLE;
                upper.vacant(effects);
            }
            case IDLE -> upper.vacant(effects);
            default -> {}
        }
    }

    /** There is no reset after all: the record was found to be in the epoch known here, which it had only been about to enter. */
    void onNoReset(Effects effects) {
        if (state == State.ABORTED || state == State.IDLE) {
            reset.over();
            state = State.IDLE;
            upper.vacant(effects);
        }
    }

    /** A grant that this node sent was refused, because its receiver is a later incarnation (rule C2). */
    private void onGrantRefused(PeerMessage refusal, Effects effects) {
        if (refusal.epoch() == epoch) {
            requestReset(ResetReason.GRANT_REFUSED, effects);
        }
    }

    /** Returns whether this node holds the lock in that epoch, also if its release is put off (rule B10: waiting is not yes). */
    public boolean holdsIn(long ofEpoch) {
        return ofEpoch == epoch
                && (state == State.HELD
                        || state == State.PUT_OFF
                        || state == State.LEAVING
                        || state == State.REQUEUING);
    }

    /** Returns 0 for no hold, 1 for shared, 2 for exclusive, as a reset acknowledgement says it. */
    int holdForReset() {
        return state == State.HELD || state == State.PUT_OFF ? exclusive ? 2 : 1 : 0;
    }

    /** Returns whether an FAA, CAS or WRITE of this lock is in flight, which puts an acknowledgement off (rule B4). */
    boolean isChanging() {
        return op.inFlight || entryWrite.inFlight;
    }

    /** The position is gone, or about to be: a reset was met. */
    void abort(Effects effects) {
        state = State.ABORTED;
        reset.seen(effects);
    }

    /** A reset was signalled: a waiter gives up its position. */
    void abortWaiting() {
        if (state == State.WAITING) {
            state = State.ABORTED;
        }
    }

    Chain probe() {
        return probe;
    }

    private void checkRange(long header, Effects effects) {
        if (LockHeader.tail(header) >= layout.indexLimit()) {
            requestReset(ResetReason.GUARD, effects);
        }
    }

    void requestReset(ResetReason reason, Effects effects) {
        long ofEpoch = epoch;
        effects.run(() -> env.requestReset(this, ofEpoch, reason));
    }

    // ---------------------------------------------------------------- machinery

    /** Handles one event under the mutex and performs its effects outside of it. */
    void event(Consumer<Effects> handler) {
        Effects effects = new Effects();
        mutex.lock();
        try {
            if (state != State.DEAD) {
                handler.accept(effects);
                reset.acknowledge(effects);
            }
        } finally {
            mutex.unlock();
        }
        effects.perform(env);
    }

    private void expect(State expected) {
        if (state != expected || converting) {
            throw new IllegalStateException(
                    "lock record " + record + " is " + state + (converting ? " converting" : "") + ", not " + expected);
        }
    }

    @Override
    public String toString() {
        return state + (exclusive ? " exclusive" : " shared") + " index " + index + " epoch " + epoch + " record "
                + record + (reset.isPending() ? " reset pending" : "");
    }

    private static final long[] NONE = {};

    /** What a chain's completion means. */
    enum Step {
        ENQUEUED,
        REQUEUED,
        RELEASED,
        EPOCH_LEARNT,
        ENTRY_WRITTEN,
        TRY_READ,
        TRY_SWAPPED,
        DOWNGRADED,
        UPGRADE_READ,
        UPGRADE_SWAPPED,
        PREFETCHED,
        CHECKED,
        EPOCH_POLLED
    }

    private void dispatch(Step step, VerbResults results, Effects effects) {
        switch (step) {
            case ENQUEUED -> onEnqueued(results, effects);
            case REQUEUED -> onRequeued(results, effects);
            case RELEASED -> onReleased(results, effects);
            case EPOCH_LEARNT -> onEpochLearnt(results, effects);
            case ENTRY_WRITTEN -> onEntryWritten(effects);
            case TRY_READ -> onTryRead(results, effects);
            case TRY_SWAPPED -> onTrySwapped(results, effects);
            case DOWNGRADED -> onDowngraded(results, effects);
            case UPGRADE_READ -> onUpgradeRead(results, effects);
            case UPGRADE_SWAPPED -> onUpgradeSwapped(results, effects);
            case PREFETCHED -> onPrefetched(results, effects);
            case CHECKED -> onChecked(results, effects);
            case EPOCH_POLLED -> reset.onPolled(results, effects);
        }
    }

    /** One of the lock's reusable chains. */
    final class Chain extends VerbChain {
        private Step step = Step.ENQUEUED;
        private boolean inFlight;
        private long header;
        private int tenure;

        Chain use(Step next, Effects effects) {
            if (inFlight) {
                throw new IllegalStateException(
                        "a chain is in flight already: " + this + ", wanted " + next + " for " + CqlLock.this);
            }
            step = next;
            inFlight = true;
            effects.post(this);
            return this;
        }

        boolean isInFlight() {
            return inFlight;
        }

        @Override
        public void completed(VerbResults results) {
            event(effects -> {
                inFlight = false;
                dispatch(step, results, effects);
            });
        }

        @Override
        public void failed(FabricException cause) {
            event(effects -> inFlight = false);
        }
    }
}
