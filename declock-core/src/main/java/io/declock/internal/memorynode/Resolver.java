// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.layout.RecordLayout;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.Resolution;
import org.jspecify.annotations.Nullable;

/** Answers resolutions, and delays those whose record is being reclaimed. Thread-safe. */
final class Resolver {
    /** Longest full name in UTF-8 bytes. */
    static final int MAX_FULL_NAME_BYTES = 1024;

    private final MemoryNodeSettings settings;
    private final Region region;
    private final RecordLayout layout;
    private final Directory directory;
    private final Reclaimer reclaimer;
    private final SessionTable sessions;
    private final Resolutions resolutions;
    private final NodeCounts counts;

    Resolver(
            MemoryNodeSettings settings,
            Region region,
            RecordLayout layout,
            Directory directory,
            Reclaimer reclaimer,
            SessionTable sessions,
            Resolutions resolutions,
            NodeCounts counts) {
        this.settings = settings;
        this.region = region;
        this.layout = layout;
        this.directory = directory;
        this.reclaimer = reclaimer;
        this.sessions = sessions;
        this.resolutions = resolutions;
        this.counts = counts;
    }

    /**
     * Finds the record of a name.
     *
     * @param quota null only to look the name up; else a name without a record is given one, which is charged to this quota
     * @param known records of the session; the record is added before the answer is given, so that every later reset asks this session's
     *     compute node
     */
    void resolve(byte[] name, @Nullable RecordQuota quota, KnownRecords known, ResolveAnswer answer) {
        if (name.length == 0 || name.length > MAX_FULL_NAME_BYTES) {
            answer.refused(new FabricException.Refused(
                    Reason.BAD_REQUEST,
                    "a full lock name must have 1 to " + MAX_FULL_NAME_BYTES + " bytes in UTF-8, this one has "
                            + name.length));
            return;
        }
        // The answer is given before the resolution counts as ended, so that a reclaim round that begins later finds
        // the answer already sent.
        int generation = resolutions.enter();
        try {
            resolveInside(name, quota, known, answer);
        } finally {
            resolutions.exit(generation);
        }
    }

    private void resolveInside(byte[] name, @Nullable RecordQuota quota, KnownRecords known, ResolveAnswer answer) {
        int record = quota == null ? directory.find(name) : allocating(name, quota);
        if (record < 0) {
            if (quota == null) {
                answer.resolved(null);
            } else {
                answer.refused(record == Directory.OVER_QUOTA ? tooManyNames(quota) : tableFull());
            }
        } else if (!reclaimer.putOff(
                record, () -> resolve(name, quota, known, answer), () -> answer.refused(tooManyWait()))) {
            // Reclaimer.putOff has marked the record as resolved before it checked for a round.
            known.add(record);
            long address = region.recordAddress(record);
            answer.resolved(
                    new Resolution(address, region.read(layout.epoch(address)), mayBeLeftBehind(record, address)));
        }
    }

    /**
     * Returns whether the queue may have a position of a compute node that has ended. An empty queue has none: that is looked at after the
     * mark was taken away, so that the mark of one that ends meanwhile stays.
     */
    private boolean mayBeLeftBehind(int record, long address) {
        if (!sessions.mayBeLeftBehind(record)) {
            return false;
        }
        sessions.nothingIsLeftBehind(record);
        if (IdleScan.isIdle(region.read(layout.header(address)))) {
            return false;
        }
        sessions.somethingMayBeLeftBehind(record);
        return true;
    }

    private int allocating(byte[] name, RecordQuota quota) {
        try {
            int record = directory.resolve(name, quota);
            reclaimer.pace().recordTaken();
            return record;
        } catch (OutOfMemoryError e) {
            return Directory.FULL;
        }
    }

    private FabricException.Refused tooManyWait() {
        return new FabricException.Refused(
                Reason.NOT_YET,
                "memory node " + settings.id()
                        + " reclaims idle records, and too many resolutions wait for that already");
    }

    private FabricException.Refused tableFull() {
        return new FabricException.Refused(
                Reason.TABLE_FULL,
                "memory node " + settings.id()
                        + " has no lock record free (or no direct memory for one): raise its number of records"
                        + " (and -XX:MaxDirectMemorySize), or use fewer names");
    }

    private FabricException.Refused tooManyNames(RecordQuota quota) {
        counts.count(NodeCounts.Kind.REFUSED_NAME);
        long seconds = settings.reclaimInterval().toSeconds();
        return new FabricException.Refused(
                Reason.TOO_MANY_NAMES,
                "of the " + settings.records() + " lock records of memory node " + settings.id()
                        + ", this process has created " + quota.limit()
                        + " that were not taken back, which is as many as one may: use fewer names"
                        + (seconds == 0 ? "" : ", wait until idle ones are taken back (after some " + seconds + " s)")
                        + ", or raise the memory node's records or its records per session");
    }
}
