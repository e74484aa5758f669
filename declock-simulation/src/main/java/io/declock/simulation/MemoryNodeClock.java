// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;

/**
 * The time of a memory node, in all its lives. The leases of simulated runs are short, so that the memory node's clock runs {@link #PACE}
 * times as fast as virtual time: its shortest lease and its pauses are shorter by that factor. This class converts the durations that pass,
 * and says which time the memory node reports, which may be wrong.
 */
final class MemoryNodeClock {
    /** How many nanoseconds of a memory node pass in one of virtual time. */
    static final int PACE = 20;

    private static final long PPM = 1_000_000;

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private long jumped;

    MemoryNodeClock(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.world = cluster.world();
    }

    /** Returns how long a duration of virtual time is for a memory node. */
    static long paced(long nanos) {
        return nanos * PACE;
    }

    /** Returns the time by which the memory node works. */
    long now() {
        long time = world.now();
        return PACE * (time + time * driftPpm() / PPM);
    }

    /** Returns how much virtual time passes while the memory node waits for that long. */
    long virtual(long delay) {
        return 1 + delay / PACE * PPM / (PPM + driftPpm());
    }

    private int driftPpm() {
        return cluster.options().outages().memoryNodeDriftPpm();
    }

    /** Moves the clock that the memory node reports. */
    void jump(long by) {
        jumped += by;
    }

    /** Returns the clock as compute nodes see it; it may be wrong. */
    private long reported() {
        long error = cluster.options().faults().clockError();
        return (1L << 40) + jumped + world.now() + world.below(2 * error + 1) - error;
    }

    // ---------------------------------------------------------------- requests and answers

    /** Returns a compute node's request to join as the memory node gets it. */
    static JoinRequest paced(JoinRequest request) {
        return new JoinRequest(
                request.processId(),
                request.attempt(),
                request.name(),
                request.peerAddress(),
                request.nodeSet(),
                request.highestEpoch(),
                paced(request.leaseNanos()),
                request.former(),
                request.moves());
    }

    /** Returns the memory node's answer to a request to join as the compute node gets it. */
    JoinReply told(JoinReply granted) {
        return new JoinReply(
                        granted.memoryNodeId(),
                        granted.memoryNodeIncarnation(),
                        granted.memoryNodeAddress(),
                        granted.nodeId(),
                        granted.incarnation(),
                        cluster.options().cluster().capacity(),
                        granted.regionBytes(),
                        granted.leaseNanos() / PACE,
                        reported(),
                        granted.membership(),
                        granted.nodeSet())
                .with(granted.nodes());
    }

    /** Returns the memory node's answer to a heartbeat as the compute node gets it. */
    HeartbeatReply told(HeartbeatReply beat) {
        return new HeartbeatReply(reported(), beat.recordsInUse(), beat.recordsTotal(), beat.membershipVersion());
    }
}
