// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

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
 * Takes idle records back from their names.
 *
 * <ol>
 *   <li>Scan: note the headers of a range of records.
 *   <li>An interval later: those that are named, idle, with the same header and not asked for meanwhile are proposed to every
 *       session that is not cut. From then on their resolutions are put off.
 *   <li>Each compute node forgets those it does not use and vetoes the others. A session that is cut counts as answered.
 *   <li>When all have answered, the records without veto whose header is still the same are freed, after the high-water mark was
 *       raised above their epochs. Then the resolutions go on.
 * </ol>
 *
 * <p>A compute node that was told a record before the proposal must know so when the proposal reaches it. Answers and proposals
 * of one session travel in order, so it suffices that the answer was sent before: resolutions are counted by generation from
 * before they look to after they answered, and a round begins only when all that began before the scan have ended; later ones
 * leave their mark in the scan before they look whether a round is on, and a round looks for marks after it was made known.
 *
 * <p>While fewer than half of the records are free it does not keep to the interval: it looks once a second, at all records, and takes
 * back what has been idle for ever less time, so that names that are used once and never again do not use the records up.
 *
 * <p>Thread-safe. Nobody is told or answered while the lock is held.
 */
final class Reclaimer {
    /** Most records in one proposal. */
    static final int MAX_PROPOSAL = 8192;

    private static final Logger log = LoggerFactory.getLogger(Reclaimer.class);

    private static final int MAX_SCAN = 1 << 20;
    /** Each scan may raise the high-water mark by one, which must not grow faster than the seconds (rule C3). */
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
    // Guarded by lock.
    private long rounds;
    private int cursor;
    private final Set<Integer> quarantined = new HashSet<>();
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

    /** Looks more often while few records are free, and takes back what has been idle for a shorter time the fewer there are. */
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

    /** A record was given to a new name. */
    void recordTaken() {
        if (loop.intervalNanos() > 0 && isPressed()) {
            pressedLoop.wake();
        }
    }

    private boolean isPressed() {
        return 2L * allocator.inUse() >= allocator.total();
    }

    /** All of the interval while half of the records are free, nothing of it when a quarter is. */
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
     * Marks a record as asked for; returns true if its resolution must wait, and goes on with {@code again}, or with {@code tooMany} where
     * too many wait already.
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

    /** One step: what the timer does every interval. */
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

    /** A compute node is gone, and may have left positions in the queues of any records: one scan of all looks for them. */
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
                node.sessions().snapshot().stream()
                        .filter(session -> !session.cut)
                        .forEach(asked::add);
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
        // Whoever does not answer for so long keeps its records: resolutions must not wait for ever.
        node.timer().schedule(patienceNanos, () -> finish(patient, false));
        tell(begun, asked);
        membersChanged();
    }

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

    /** Takes an answer. */
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

    /** Ends the round if nobody's answer is missing any more. */
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
        putOff.forEach(again -> Isolated.run("A look-up that was put off", again));
        IdleScan current = scan;
        if (current != null && free) {
            propose(current);
        }
    }

    /**
     * An epoch that no reset can have reached was written by somebody who should not. The next name of the record would have to start above
     * it, and with it all names to come; so it gets none.
     */
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
     * Takes every record back from its name, as if this memory node had just started: another one has served the names meanwhile. There
     * must be no session.
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

    private void freeIdle(ReclaimRound ending) {
        List<Integer> idle = new ArrayList<>();
        long highest = 0;
        // A compute node that was cut but is still a member was not asked, and may still believe that it holds a lock.
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
