// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.Member;
import java.time.Duration;
import java.util.List;

/**
 * A memory node at one moment.
 *
 * @param id stable id
 * @param incarnation another value after every start
 * @param serving whether compute nodes may join; false while it waits for sessions of an earlier life to run out, or has a twin
 * @param servesIn how much of that wait is left
 * @param twin what is wrong while another memory node of the same id lives, else empty
 * @param recordsInUse records that belong to a name
 * @param recordsTotal records the region holds
 * @param recordsPerSession records that one session may have created and that were not taken back
 * @param queueCapacity entries per record
 * @param regionBytes size of the region
 * @param committedBytes how much of it takes memory
 * @param highWaterMark full epoch at which records given out now start
 * @param sessions members, with those that are cut and wait for their lease to run out
 * @param fetchAndAdds FAAs executed
 * @param compareAndSwaps CASes executed
 * @param reads READs executed
 * @param writes WRITEs executed
 * @param relayed peer messages passed on
 * @param badFrames frames that made no sense and closed their connection
 * @param refusedConnections connections refused
 * @param slowReaders connections closed because the other side did not read
 * @param reclaimed records taken back
 * @param refusedNames names refused because their session had created as many as it may
 * @param quarantined records whose epoch no reset can have reached: somebody wrote it there, and they are never given to another name
 * @param twins how often another living memory node of the same id was found
 * @param stalled which of its loops has not run for several of its intervals, empty if they all run
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
        String stalled) {
    /** Copies the list. */
    public MemoryNodeStatus {
        sessions = List.copyOf(sessions);
    }

    /** Returns how many records the session has created that has created most. */
    public long mostRecordsOfOneSession() {
        return sessions.stream().mapToLong(Session::recordsCreated).max().orElse(0);
    }

    /**
     * One session.
     *
     * @param member the compute node
     * @param connected false when it is cut and only its lease has to run out yet
     * @param leaseLeft what is left of the lease, without the margin
     * @param recordsCreated records it has created that were not taken back
     */
    public record Session(Member member, boolean connected, Duration leaseLeft, long recordsCreated) {}
}
