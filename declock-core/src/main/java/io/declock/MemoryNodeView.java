// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One memory node as this process sees it, at one moment.
 *
 * @param address configured address
 * @param id its stable id, empty before the first join
 * @param state state of the session
 * @param nodeId this process's node id there, 0 without a session
 * @param incarnation this process's incarnation there
 * @param roundTrip last measured round trip of a heartbeat, null before the first
 * @param leaseLeft remaining lease, zero without a session
 * @param recordsInUse lock records that belong to a name
 * @param recordsTotal lock records the region holds
 * @param members live compute nodes there
 * @param clockOffset offset between this process's clock and the memory node's, null before the first measurement
 * @param problem why there is no session, empty for none
 * @param downFor how long there has been no session, zero if there is one
 */
public record MemoryNodeView(
        String address,
        String id,
        State state,
        int nodeId,
        int incarnation,
        @Nullable Duration roundTrip,
        Duration leaseLeft,
        long recordsInUse,
        long recordsTotal,
        int members,
        @Nullable Duration clockOffset,
        String problem,
        Duration downFor) {
    /** {@return host and port of the address, of the first candidate's if there are several} */
    public String place() {
        int begin = address.indexOf("://");
        String places = begin < 0 ? address : address.substring(begin + 3);
        int end = places.indexOf('|');
        return end < 0 ? places : places.substring(0, end);
    }

    /** State of a session. */
    public enum State {
        /** Never joined yet, trying. */
        JOINING,
        /** Joined and within the lease. */
        UP,
        /**
         * The connection is broken; trying to go on with the session on another one before the lease runs out. Holds stay valid meanwhile,
         * and requests wait.
         */
        RESUMING,
        /** The session was lost; trying to join again. */
        DOWN,
        /** The memory node refused and will refuse again: see the problem. */
        REFUSED,
        /** Left for good. */
        LEFT
    }
}
