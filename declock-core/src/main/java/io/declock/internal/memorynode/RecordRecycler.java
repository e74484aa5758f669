// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.LockNames;
import io.declock.internal.layout.RecordLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes records from their names, above whose epochs it raises the high-water mark first. Guarded by the reclaimer's lock. */
final class RecordRecycler {
    private static final Logger log = LoggerFactory.getLogger(RecordRecycler.class);

    private final NodeBasics node;
    private final SessionTable sessions;
    private final Region region;
    private final RecordLayout layout;
    private final Directory directory;
    private final HighWaterMark highWaterMark;
    private final Set<Integer> quarantined = new HashSet<>();

    RecordRecycler(NodeBasics node, SessionTable sessions, Directory directory, HighWaterMark highWaterMark) {
        this.node = node;
        this.sessions = sessions;
        this.region = node.region();
        this.layout = node.layout();
        this.directory = directory;
        this.highWaterMark = highWaterMark;
    }

    /**
     * Reclaims the records of a round that were not kept and have not changed since its proposal, without those that have a value, and those in which a hold was restored that is not
     * written yet: it will be, also when its compute node has ended, and the record must not be another name's by then.
     */
    void recycle(ReclaimRound round) {
        List<Integer> idle = new ArrayList<>();
        // A compute node that was cut but is still a member was not asked, and may still trust its holds.
        boolean mayHold = sessions.snapshot().stream().anyMatch(MemoryNodeSession::isCut);
        for (int i = 0; i < round.size(); i++) {
            int record = round.record(i);
            if (!isQuarantined(record)
                    && !node.unwritten().contains(record)
                    && !round.isKept(i)
                    && !node.values().has(record)
                    && region.read(layout.header(region.recordAddress(record))) == round.header(i)
                    && (!mayHold || IdleScan.isIdle(round.header(i)))) {
                idle.add(record);
            }
        }
        forget(idle);
        node.counts().count(NodeCounts.Kind.RECLAIMED, idle.size());
    }

    /** Reclaims the first {@code records} records. There must be no session. */
    void recycleAll(int records) {
        List<Integer> named = new ArrayList<>();
        for (int record = 0; record < records; record++) {
            if (directory.names().get(record) != null && !isQuarantined(record)) {
                named.add(record);
            }
        }
        forget(named);
    }

    private void forget(List<Integer> records) {
        records.forEach(record -> highWaterMark.raiseAbove(epoch(record)));
        List<MemoryNodeSession> all = sessions.snapshot();
        for (int record : records) {
            all.forEach(session -> session.known().remove(record));
            sessions.nothingIsLeftBehind(record);
            node.values().forget(record);
            directory.forget(record);
        }
    }

    private long epoch(int record) {
        return region.read(layout.epoch(region.recordAddress(record)));
    }

    /**
     * Returns whether a record is quarantined: its epoch is one that no reset can have reached, so a foreign WRITE must have put it there.
     * The next name of the record would have to start above that epoch, and so would all later names; so the record gets no other name.
     */
    private boolean isQuarantined(int record) {
        long epoch = epoch(record);
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
}
