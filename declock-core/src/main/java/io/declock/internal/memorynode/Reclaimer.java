// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.LockNames;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.monitor.Isolated;
import io.declock.internal.monitor.Loop;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reclaims idle records from their names (rule C9).
 *
 * <ol>
 *   <li>Scan: note the headers of a range of records.
 * <li>An interval later: the records that are named and idle, have the same header and were not resolved meanwhile are proposed to every
 * session that is not cut. From then on their resolutions are put off.
 * <li>Each compute node forgets the records that it does not use and vetoes the others. A session that is cut counts as answered.
 * <li>When all have answered, the high-water mark is raised above the epochs of the records without a veto whose header is still the same,
 * and these records are freed. Then the resolutions go on.
 * </ol>
 *
 * <p>If a record's address was sent to a compute node before the proposal, the compute node must have it when the proposal arrives. Answers
 * and proposals of one session travel in order, so the answer only has to be sent first. Resolutions are counted by generation, from before
 * the search until after the answer, and a round begins only when all resolutions that began before the scan have ended. Later ones mark
 * their record in the scan before they check whether a round is under way, and a round checks the marks after it was published.
 *
 * <p>While fewer than half of the records are free, the reclaimer does not keep to the interval: it scans all records once a second, and
 * reclaims records that have been idle for a shorter time the fewer are free, so that names that are used only once do not use up the
 * records.
 *
 * <p>Thread-safe. No session is notified or answered while the lock is held.
 */
final class Reclaimer {
    /** Most records in one proposal. */
    static final int MAX_PROPOSAL = 8192;

    private static final Logger log = LoggerFactory.getLogger(Reclaimer.class);

    private static final int MAX_SCAN = 1 << 20;
    /** Each scan may raise the high-water mark by one, and the mark must not grow faster than the seconds (rule C3). */
    private static final long PRESSED_INTERVAL_NANOS = 1_000_000_000L;

    private static final double PLENTY = 0.5;
    private static final double SCARCE = 0.25;

    private final MemoryNode node;
    private final Region region;
    private final RecordLayout layout;
    private final Directory directory;
    private final RecordAllocator allocator;
    private final HighWaterMark highWaterMark;
    private final Loop loop;
    private final Loop pressedLoop;
    private final long patienceNanos;
    private final long idleNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger generation = new AtomicInteger();
    private final AtomicIntegerArray resolving = new AtomicIntegerArray(2);
    private volatile long scannedAt;
    private volatile boolean scansAll;
    private volatile @Nullable IdleScan scan;
    private volatile @Nullable ReclaimRound round;

    @GuardedBy("lock")
    private long rounds;

    @GuardedBy("lock")
    private int cursor;

    @GuardedBy("lock")
    private final Set<Integer> quarantined = new HashSet<>();

    @GuardedBy("lock")
    private int orphansLeft;

    Reclaimer(
            MemoryNode node,
            MemoryNodeSettings settings,
            Directory directory,
            RecordAllocator allocator,
            HighWaterMark mark) {
        this.node = node;
        this.region = node.region();
        this.layout = node.layout();
        this.directory = directory;
        this.allocator = allocator;
        this.highWaterMark = mark;
        this.loop = new Steps(settings, settings.reclaimInterval().toNanos());
        this.pressedLoop = new PressedSteps(settings);
        this.idleNanos = settings.reclaimInterval().toNanos();
        this.patienceNanos = settings.maxLease().toNanos();
    }

    void start() {
        if (loop.intervalNanos() > 0) {
            loop.wake();
        }
    }

    Loop loop() {
        return loop;
    }

    /** Takes one step per interval. */
    private class Steps extends Loop {
        Steps(MemoryNodeSettings settings, long intervalNanos) {
            super("the reclaimer of memory node " + settings.id(), node.clock(), node.timer(), intervalNanos);
        }

        @Override
        protected void step(long lateNanos) {
            advance();
        }

        @Override
        protected boolean isNeeded() {
            return !node.isClosed();
        }
    }

    /** Scans more often while few records are free, and reclaims records that have been idle for a shorter time the fewer are free. */
    private final class PressedSteps extends Steps {
        PressedSteps(MemoryNodeSettings settings) {
            super(
                    settings,
                    Math.max(
                            1,
                            Math.min(
                                    PRESSED_INTERVAL_NANOS,
                                    settings.reclaimInterval().toNanos())));
        }

        @Override
        protected void step(long lateNanos) {
            if (round == null && (scan == null || !scansAll)) {
                scan = null;
                beginScan();
            } else if (node.clock().nanoTime() - scannedAt >= idleWhenPressed()) {
                advance();
            }
        }

        @Override
        protected boolean isNeeded() {
            return super.isNeeded() && isPressed();
        }
    }

    /** Notes that a record was given to a new name. */
    void recordTaken() {
        if (loop.intervalNanos() > 0 && isPressed()) {
            pressedLoop.wake();
        }
    }

    private boolean isPressed() {
        return 2L * allocator.inUse() >= allocator.total();
    }

    /**
     * Returns how long a record must have been idle: the whole interval while half of the records are free, and no time when only a quarter
     * is free.
     */
    private long idleWhenPressed() {
        double free = 1 - (double) allocator.inUse() / allocator.total();
        return (long) (idleNanos * Math.max(0, Math.min(1, (free - SCARCE) / (PLENTY - SCARCE))));
    }

    /** Counts a resolution that begins; the result goes to {@link #exitResolve}. */
    int enterResolve() {
        while (true) {
            int now = generation.get();
            resolving.getAndIncrement(now & 1);
            if (generation.get() == now) {
                return now;
            }
            resolving.getAndDecrement(now & 1);
        }
    }

    void exitResolve(int began) {
        resolving.getAndDecrement(began & 1);
    }

    /**
     * Marks a record as resolved. Returns true if its resolution must wait: then {@code again} runs when the round is over, or {@code
     * tooMany} at once if too many wait already.
     */
    boolean putOff(int record, Runnable again, Runnable tooMany) {
        IdleScan current = scan;
        if (current != null) {
            current.ask(record);
        }
        ReclaimRound now = round;
        if (now == null || !now.concerns(record)) {
            return false;
        }
        ReclaimRound.PutOff putOff;
        lock.lock();
        try {
            putOff = now.putOff(again);
        } finally {
            lock.unlock();
        }
        switch (putOff) {
            case WAITS -> {}
            case OVER -> again.run();
            case FULL -> tooMany.run();
        }
        return true;
    }

    /** Takes one step, once per interval of the timer. */
    void advance() {
        if (round != null) {
            return;
        }
        IdleScan current = scan;
        if (current == null) {
            beginScan();
        } else if (resolving.get(generation.get() - 1 & 1) == 0) {
            propose(current);
        }
    }

    /**
     * Plans one scan of all records for orphans, because a compute node has ended and may have left positions in the queue of any record.
     */
    void mayHaveOrphans() {
        lock.lock();
        try {
            orphansLeft = allocator.everUsed();
        } finally {
            lock.unlock();
        }
    }

    private void beginScan() {
        lock.lock();
        try {
            int used = allocator.everUsed();
            boolean all = isPressed();
            int from = all || cursor >= used ? 0 : cursor;
            int share = Math.max(MAX_PROPOSAL, Math.min(used / 4, MAX_SCAN));
            int count = all ? used : Math.min(share, used - from);
            scansAll = all;
            if (count > 0 && resolving.get(generation.get() - 1 & 1) == 0) {
                IdleScan begun = new IdleScan(region, layout, directory.names(), from, count, orphansLeft > 0);
                orphansLeft = Math.max(0, orphansLeft - count);
                scannedAt = node.clock().nanoTime();
                scan = begun;
                cursor = begun.end();
                generation.getAndIncrement();
            }
        } finally {
            lock.unlock();
        }
    }

    private void propose(IdleScan current) {
        ReclaimRound begun = null;
        List<MemoryNodeSession> asked = new ArrayList<>();
        lock.lock();
        try {
            int[] idle = current.nextIdle(MAX_PROPOSAL);
            if (idle.length > 0 && round == null) {
                begun = newRound(current, idle);
                round = begun;
                for (int record : idle) {
                    if (current.wasAsked(record)) {
                        begun.keep(record);
                    }
                }
                for (MemoryNodeSession session : node.sessions().snapshot()) {
                    if (session.isConnected()) {
                        asked.add(session);
                    } else if (!session.cut) {
                        begun.keepKnown(session);
                    }
                }
                begun.await(asked);
            } else {
                scan = null;
            }
        } finally {
            lock.unlock();
        }
        if (begun == null) {
            beginScan();
            return;
        }
        ReclaimRound patient = begun;
        // A compute node that does not answer for so long keeps its records: resolutions must not wait for ever.
        node.timer().schedule(patienceNanos, () -> finish(patient, false));
        tell(begun, asked);
        membersChanged();
    }

    @GuardedBy("lock")
    private ReclaimRound newRound(IdleScan current, int[] idle) {
        long[] headers = new long[idle.length];
        for (int i = 0; i < idle.length; i++) {
            headers[i] = current.headerOf(idle[i]);
        }
        return new ReclaimRound(++rounds, idle, headers);
    }

    private void tell(ReclaimRound begun, List<MemoryNodeSession> asked) {
        long[] addresses = new long[begun.size()];
        int count = 0;
        for (int i = 0; i < begun.size(); i++) {
            if (!begun.isKept(i)) {
                addresses[count++] = region.recordAddress(begun.record(i));
            }
        }
        long[] records = Arrays.copyOf(addresses, count);
        for (MemoryNodeSession session : asked) {
            Isolated.run(
                    "Proposing idle records to session " + session.describe(),
                    () -> session.listener().reclaimProposed(begun.number, records.clone()));
        }
    }

    /** Handles an answer. */
    void answered(MemoryNodeSession session, long number, long[] vetoed) {
        ReclaimRound now = round;
        if (now == null || now.number != number) {
            return;
        }
        lock.lock();
        try {
            if (round != now || !now.answered(session)) {
                return;
            }
            for (long address : vetoed) {
                now.keep(region.recordIndex(address));
            }
        } finally {
            lock.unlock();
        }
        membersChanged();
    }

    /** Handles the end of a session's connection: the session keeps what it knows, and its answer is not waited for. */
    void detached(MemoryNodeSession session) {
        ReclaimRound now = round;
        if (now == null) {
            return;
        }
        lock.lock();
        try {
            if (round != now || !now.answered(session)) {
                return;
            }
            now.keepKnown(session);
        } finally {
            lock.unlock();
        }
        membersChanged();
    }

    /** Ends the round if no answer is missing any more. */
    void membersChanged() {
        ReclaimRound now = round;
        if (now == null) {
            return;
        }
        boolean complete;
        lock.lock();
        try {
            now.dropCut();
            complete = round == now && now.isAnswered();
        } finally {
            lock.unlock();
        }
        if (complete) {
            finish(now, true);
        }
    }

    private void finish(ReclaimRound ending, boolean free) {
        List<Runnable> putOff;
        lock.lock();
        try {
            if (round != ending) {
                return;
            }
            if (free) {
                freeIdle(ending);
            } else if (scan != null && scan.isForOrphans()) {
                orphansLeft = allocator.everUsed();
            }
            round = null;
            putOff = ending.end();
        } finally {
            lock.unlock();
        }
        putOff.forEach(again -> Isolated.run("A resolution that was put off", again));
        IdleScan current = scan;
        if (current != null && free) {
            propose(current);
        }
    }

    /**
     * Returns whether a record is quarantined: its epoch is one that no reset can have reached, so a foreign WRITE must have put it there.
     * The next name of the record would have to start above that epoch, and so would all later names; so the record gets no other name.
     */
    @GuardedBy("lock")
    private boolean isQuarantined(int record, long epoch) {
        if (node.isPlausible(epoch)) {
            return false;
        }
        if (quarantined.add(record)) {
            node.counts().count(NodeCounts.Kind.QUARANTINED);
            byte[] name = directory.names().get(record);
            log.error(
                    "The lock record of {} has full epoch {}, which no reset can have reached; the record will not be used for another name",
                    name == null ? "no name" : LockNames.quoted(new String(name, StandardCharsets.UTF_8)),
                    epoch);
        }
        return true;
    }

    /**
     * Reclaims every record from its name, as if this memory node had just started, because another one has served the names meanwhile.
     * There must be no session.
     */
    void forgetAll() {
        ReclaimRound ending = round;
        if (ending != null) {
            finish(ending, false);
        }
        lock.lock();
        try {
            scan = null;
            List<Integer> named = new ArrayList<>();
            long highest = 0;
            for (int record = 0, used = allocator.everUsed(); record < used; record++) {
                long epoch = region.read(layout.epoch(region.recordAddress(record)));
                if (directory.names().get(record) != null && !isQuarantined(record, epoch)) {
                    named.add(record);
                    highest = Math.max(highest, epoch);
                }
            }
            highWaterMark.raiseAbove(highest);
            named.forEach(this::forget);
            orphansLeft = 0;
        } finally {
            lock.unlock();
        }
    }

    private void forget(int record) {
        node.sessions().snapshot().forEach(session -> session.known().remove(record));
        directory.forget(record);
    }

    @GuardedBy("lock")
    private void freeIdle(ReclaimRound ending) {
        List<Integer> idle = new ArrayList<>();
        long highest = 0;
        // A compute node that was cut but is still a member was not asked, and may still trust its holds.
        boolean mayHold = node.sessions().snapshot().stream().anyMatch(MemoryNodeSession::isCut);
        for (int i = 0; i < ending.size(); i++) {
            long address = region.recordAddress(ending.record(i));
            if (isQuarantined(ending.record(i), region.read(layout.epoch(address)))) {
                continue;
            }
            if (!ending.isKept(i)
                    && region.read(layout.header(address)) == ending.header(i)
                    && (!mayHold || IdleScan.isIdle(ending.header(i)))) {
                idle.add(ending.record(i));
                highest = Math.max(highest, region.read(layout.epoch(address)));
            }
        }
        if (!idle.isEmpty()) {
            highWaterMark.raiseAbove(highest);
            idle.forEach(this::forget);
            node.counts().count(NodeCounts.Kind.RECLAIMED, idle.size());
        }
    }
}
