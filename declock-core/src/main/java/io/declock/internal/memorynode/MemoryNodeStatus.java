// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.Member;
import java.time.Duration;
import java.util.List;

/**
 * The status of a memory node at one moment.
 *
 * @param id stable id
 * @param incarnation incarnation, another value after every start
 * @param serving whether compute nodes may join; false while it waits for leases of an earlier life to run out, or has a twin
 * @param servesIn rest of that wait
 * @param twin description of the problem while another memory node of the same id lives, else empty
 * @param recordsInUse records that belong to a name
 * @param recordsTotal records the region holds
 * @param recordsPerSession most records that one session may have created and that were not reclaimed
 * @param values values of guarded locks
 * @param queueCapacity entries per record
 * @param regionBytes size of the region
 * @param committedBytes bytes of the region that take memory
 * @param highWaterMark full epoch at which records that are allocated now start
 * @param sessions members, including those that are cut and wait for their lease to run out
 * @param fetchAndAdds FAAs executed
 * @param compareAndSwaps CASes executed
 * @param reads READs executed
 * @param writes WRITEs executed
 * @param relayed peer messages relayed
 * @param badFrames malformed frames, each of which closed its connection
 * @param refusedConnections connections refused
 * @param slowReaders connections closed because the other side did not read
 * @param reclaimed records reclaimed
 * @param refusedNames names refused because their session had reached its quota of records
 * @param quarantined records with an epoch that no reset can have reached, so that a foreign WRITE must have put it there; they are never
 *     given to another name
 * @param twins how often another living memory node of the same id was found
 * @param resumed how often a session went on with another connection
 * @param restoredHolds holds of the former life that were restored
 * @param refusedHolds holds of the former life that contradicted others and were not restored
 * @param valuesRead values of guarded locks read
 * @param valuesStored values of guarded locks stored or removed
 * @param grace how long the members of the former life were waited for, or have been so far
 * @param graceLeft how much longer members of the former life are waited for at most; services may join meanwhile, but no name is resolved
 * @param listProblem why members cannot be written down, so that no compute node may join; empty if they can
 * @param eventLoopLag by how much an event loop of the server was late when the lease watch last looked
 * @param stalled which loop has not run for several of its intervals, empty if all run
 */
public record MemoryNodeStatus(
        String id,
        long incarnation,
        boolean serving,
        Duration servesIn,
        String twin,
        long recordsInUse,
        long recordsTotal,
        long recordsPerSession,
        long values,
        int queueCapacity,
        long regionBytes,
        long committedBytes,
        long highWaterMark,
        List<Session> sessions,
        long fetchAndAdds,
        long compareAndSwaps,
        long reads,
        long writes,
        long relayed,
        long badFrames,
        long refusedConnections,
        long slowReaders,
        long reclaimed,
        long refusedNames,
        long quarantined,
        long twins,
        long resumed,
        long restoredHolds,
        long refusedHolds,
        long valuesRead,
        long valuesStored,
        Duration grace,
        Duration graceLeft,
        String listProblem,
        Duration eventLoopLag,
        String stalled) {
    /** Copies the list. */
    public MemoryNodeStatus {
        sessions = List.copyOf(sessions);
    }

    /** Returns the largest number of records that one session has created. */
    public long mostRecordsOfOneSession() {
        return sessions.stream().mapToLong(Session::recordsCreated).max().orElse(0);
    }

    /** Returns the memory for results that are remembered, of all sessions. */
    public long resultBytes() {
        return sessions.stream().mapToLong(Session::resultBytes).sum();
    }

    /**
     * One session.
     *
     * @param member the compute node
     * @param connected false when its connection has broken: until its lease has run out it can be resumed, unless it is cut
     * @param leaseLeft rest of the lease, without the margin
     * @param recordsCreated records that it has created and that were not reclaimed
     * @param resultBytes memory for the results of its chains whose answers it has not confirmed
     */
    public record Session(
            Member member, boolean connected, Duration leaseLeft, long recordsCreated, long resultBytes) {}
}
