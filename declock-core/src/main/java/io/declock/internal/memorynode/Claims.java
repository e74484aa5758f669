// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.LockNames;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The holds that compute nodes have restored in names of which nobody can take a position yet, and the records of these names. When positions
 * can be taken, the records are written as a reset would write them that every holder survived (rules H5 and M4 of docs/protocol.md). Not
 * thread-safe.
 */
final class Claims {
    private static final Logger log = LoggerFactory.getLogger(Claims.class);

    private final NodeBasics node;
    private final Directory directory;
    private final RecordAllocator allocator;
    private final HighWaterMark mark;
    private final Map<Integer, List<Claim>> claims = new HashMap<>();

    /** A hold that a session has restored. */
    private record Claim(MemoryNodeSession session, boolean exclusive) {}

    Claims(NodeBasics node, Directory directory, RecordAllocator allocator, HighWaterMark mark) {
        this.node = node;
        this.directory = directory;
        this.allocator = allocator;
        this.mark = mark;
    }

    /** Refuses what cannot be a hold. */
    static void check(NodeBasics node, byte[] name, long epoch) throws FabricException.Refused {
        boolean isName = name.length > 0 && name.length <= Resolver.MAX_FULL_NAME_BYTES;
        if (!isName || epoch < 0 || !node.isPlausible(epoch)) {
            throw new FabricException.Refused(
                    Reason.BAD_REQUEST, "a hold with a name of " + name.length + " bytes and epoch " + epoch);
        }
    }

    /**
     * Adds a hold, in place of an earlier one of the session in that name.
     *
     * @return the address of its record
     * @throws FabricException.Refused if it contradicts another one, or there is no record
     */
    long add(MemoryNodeSession session, byte[] name, boolean exclusive, long epoch) throws FabricException.Refused {
        mark.raiseAbove(epoch);
        int record = recordOf(session, name);
        List<Claim> others = claims.computeIfAbsent(record, any -> new ArrayList<>());
        others.removeIf(claim -> claim.session == session || isOver(claim, record));
        if (others.stream().anyMatch(claim -> exclusive || claim.exclusive)) {
            throw contradiction(session, name, exclusive, others.get(0).session);
        }
        others.add(new Claim(session, exclusive));
        session.known().add(record);
        node.unwritten().add(record);
        // A record that is idle could be reclaimed.
        store(record, mark.current(), others);
        node.counts().count(NodeCounts.Kind.RESTORED_HOLD);
        return node.region().recordAddress(record);
    }

    private FabricException.Refused contradiction(
            MemoryNodeSession session, byte[] name, boolean exclusive, MemoryNodeSession other) {
        node.counts().count(NodeCounts.Kind.REFUSED_HOLD);
        String what = "a hold for " + (exclusive ? "writing" : "reading") + " of "
                + LockNames.quoted(new String(name, StandardCharsets.UTF_8)) + " by compute node " + session.describe()
                + ", because compute node " + other.describe() + " has restored one already";
        log.error(
                "Memory node {} refuses to restore {}. Two holders can only come from a broken clock: check the"
                        + " clocks of both machines.",
                node.id(),
                what);
        return new FabricException.Refused(
                Reason.BAD_REQUEST, "memory node " + node.id() + " refuses to restore " + what);
    }

    /** Every record that is given to a name before the end is written at the end: a member that comes later may know a higher epoch of it. */
    private int recordOf(MemoryNodeSession session, byte[] name) throws FabricException.Refused {
        int record = directory.resolve(name, session.quota());
        if (record < 0) {
            throw new FabricException.Refused(
                    Reason.TABLE_FULL,
                    "memory node " + node.id() + " has no lock record free to restore a hold: raise its number of"
                            + " records, or its records per session");
        }
        return record;
    }

    /**
     * Writes the records and forgets the holds.
     *
     * @param epoch their new epoch, above every one that was told
     * @param counts which sessions' holds count
     * @return the number of holds that count
     */
    int write(long epoch, Predicate<MemoryNodeSession> counts) {
        int holds = 0;
        for (Map.Entry<Integer, List<Claim>> record : claims.entrySet()) {
            List<Claim> kept = record.getValue().stream()
                    .filter(claim -> !isOver(claim, record.getKey()) && counts.test(claim.session))
                    .toList();
            store(record.getKey(), epoch, kept);
            node.unwritten().remove(record.getKey());
            holds += kept.size();
        }
        claims.clear();
        return holds;
    }

    /** Returns whether a hold is over, because its session has ended and the trustee does not have it in its place (rule R2). */
    private static boolean isOver(Claim claim, int record) {
        return claim.session.gone && !claim.session.left().contains(record);
    }

    private void store(int record, long epoch, List<Claim> holders) {
        int writers = (int) holders.stream().filter(Claim::exclusive).count();
        allocator.restore(record, epoch, holders.size(), writers);
    }
}
