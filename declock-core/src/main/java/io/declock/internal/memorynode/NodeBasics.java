// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.layout.RecordLayout;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;

/** What every part of a memory node may use of it, so that no part needs the {@link MemoryNode}, which makes them. Thread-safe. */
final class NodeBasics {
    private final MemoryNodeSettings settings;
    private final Clock clock;
    private final TimerService timer;
    private final Region region;
    private final RecordLayout layout;
    private final NodeCounts counts = new NodeCounts();
    private final KnownRecords unwritten;
    private final Values values;
    private final long incarnation;
    private final Term term;
    private volatile boolean closed;

    NodeBasics(
            MemoryNodeSettings settings,
            Clock clock,
            TimerService timer,
            Region region,
            RecordLayout layout,
            long incarnation,
            Term term) {
        this.settings = settings;
        this.clock = clock;
        this.timer = timer;
        this.region = region;
        this.layout = layout;
        this.unwritten = new KnownRecords(settings.records());
        this.values = new Values(settings, region, layout);
        this.incarnation = incarnation;
        this.term = term;
    }

    String id() {
        return settings.id();
    }

    long incarnation() {
        return incarnation;
    }

    MemoryNodeSettings settings() {
        return settings;
    }

    Clock clock() {
        return clock;
    }

    TimerService timer() {
        return timer;
    }

    Region region() {
        return region;
    }

    RecordLayout layout() {
        return layout;
    }

    NodeCounts counts() {
        return counts;
    }

    /** Returns the records of restored holds that are not written yet as they will be when positions can be taken ({@link Claims}). */
    KnownRecords unwritten() {
        return unwritten;
    }

    /** Returns the values of guarded locks. */
    Values values() {
        return values;
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns whether it has the right to serve at this moment (rule H6). */
    boolean isInTerm() {
        return term.lasts();
    }

    /** Notes that the memory node shuts down. */
    void close() {
        closed = true;
    }

    /**
     * Returns whether a lock may have reached an epoch. Epochs start at the seconds since 2025 and rise by one with each reset. An epoch
     * far above them cannot have been reached, and accepting it would use up the range, after which tokens would fall.
     */
    boolean isPlausible(long epoch) {
        return epoch <= settings.secondsSince2025().getAsLong() + HighWaterMark.PLAUSIBLE_LEAD;
    }
}
