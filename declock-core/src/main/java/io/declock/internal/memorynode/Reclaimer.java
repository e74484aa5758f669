// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.monitor.Isolated;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

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
 * <p>Thread-safe. No session is notified or answered while the lock is held.
 */
final class Reclaimer {
    /** Most records in one proposal. */
    static final int MAX_PROPOSAL = 8192;

    private static final int MAX_SCAN = 1 << 20;

    private final NodeBasics node;
    private final SessionTable sessions;
    private final Region region;
    private final RecordLayout layout;
    private final Directory directory;
    private final RecordAllocator allocator;
    private final Resolutions resolutions;
    private final ReclaimPace pace;
    private final long patienceNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long scannedAt;
    private volatile boolean scansAll;
    private volatile @Nullable IdleScan scan;
    private volatile @Nullable ReclaimRound round;

    @GuardedBy("lock")
    private long rounds;

    @GuardedBy("lock")
    private int cursor;

    @GuardedBy("lock")
    private final RecordRecycler recycler;

    @GuardedBy("lock")
    private int orphansLeft;

    Reclaimer(
            NodeBasics node,
            SessionTable sessions,
            Directory directory,
            RecordAllocator allocator,
            HighWaterMark mark,
            Resolutions resolutions) {
        this.node = node;
        this.sessions = sessions;
        this.region = node.region();
        this.layout = node.layout();
        this.directory = directory;
        this.allocator = allocator;
        this.resolutions = resolutions;
        this.recycler = new RecordRecycler(node, sessions, directory, mark);
        this.pace = new ReclaimPace(node, allocator, this::advance, this::advancePressed);
        this.patienceNanos = node.settings().maxLease().toNanos();
    }

    ReclaimPace pace() {
        return pace;
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

    private void advance() {
        if (round != null) {
            return;
        }
        IdleScan current = scan;
        if (current == null) {
            beginScan();
        } else if (resolutions.formerHaveEnded()) {
            propose(current);
        }
    }

    private void advancePressed() {
        if (round == null && (scan == null || !scansAll)) {
            scan = null;
            beginScan();
        } else if (node.clock().nanoTime() - scannedAt >= pace.idleWhenPressed()) {
            advance();
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
            boolean all = pace.isPressed();
            int from = all || cursor >= used ? 0 : cursor;
            int share = Math.max(MAX_PROPOSAL, Math.min(used / 4, MAX_SCAN));
            int count = all ? used : Math.min(share, used - from);
            scansAll = all;
            if (count > 0 && resolutions.formerHaveEnded()) {
                IdleScan begun = new IdleScan(region, layout, directory.names(), from, count, orphansLeft > 0);
                orphansLeft = Math.max(0, orphansLeft - count);
                scannedAt = node.clock().nanoTime();
                scan = begun;
                cursor = begun.end();
                resolutions.beginGeneration();
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
                begun = new ReclaimRound(++rounds, current, idle);
                round = begun;
                for (int record : idle) {
                    if (current.wasAsked(record) || node.values().has(record)) {
                        begun.keep(record);
                    }
                }
                for (MemoryNodeSession session : sessions.snapshot()) {
                    if (session.isConnected() && session.entry().isDecided()) {
                        asked.add(session);
                    } else if (!session.isCutDone()) {
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
                recycler.recycle(ending);
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
            recycler.recycleAll(allocator.everUsed());
            orphansLeft = 0;
        } finally {
            lock.unlock();
        }
    }
}
