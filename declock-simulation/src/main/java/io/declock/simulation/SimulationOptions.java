// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.CqlSettings;
import io.declock.LocalSettings;

/**
 * Everything that shapes a run besides the seed. Durations in nanoseconds, shares and chances from 0 to 1.
 *
 * @param cluster who takes part
 * @param network how operations and messages travel
 * @param workload what callers do
 * @param faults what goes wrong
 * @param local bounds of the local level
 * @param cql intervals of the protocol
 * @param outages what goes wrong besides
 * @param rare what goes wrong only where a run is about it
 */
public record SimulationOptions(
        Cluster cluster,
        Network network,
        Workload workload,
        Faults faults,
        LocalSettings local,
        CqlSettings cql,
        Outages outages,
        Rare rare) {

    /** Makes options without what is rare. */
    public SimulationOptions(
            Cluster cluster,
            Network network,
            Workload workload,
            Faults faults,
            LocalSettings local,
            CqlSettings cql,
            Outages outages) {
        this(cluster, network, workload, faults, local, cql, outages, Rare.NONE);
    }

    /** Makes options without outages. */
    public SimulationOptions(
            Cluster cluster, Network network, Workload workload, Faults faults, LocalSettings local, CqlSettings cql) {
        this(cluster, network, workload, faults, local, cql, Outages.NONE);
    }

    /**
     * Who takes part.
     *
     * @param computeNodes compute nodes
     * @param clientsPerNode callers in each of them
     * @param locks lock names
     * @param zipf skew of the choice of names, 0 for none
     * @param capacity queue capacity of a record
     * @param belowLimit how far below the index limit fresh records start, or -1 to start at zero
     * @param admitAll whether more compute nodes than the capacity may join, so that queues overflow
     * @param lease lease asked for
     * @param leaseMargin how much earlier a compute node counts its lease as over
     * @param heartbeat interval of heartbeats
     */
    public record Cluster(
            int computeNodes,
            int clientsPerNode,
            int locks,
            double zipf,
            int capacity,
            int belowLimit,
            boolean admitAll,
            long lease,
            long leaseMargin,
            long heartbeat) {}

    /**
     * How operations and messages travel.
     *
     * @param oneWay shortest time from a compute node to the memory node, and back
     * @param jitter mean of what is added to it
     * @param spikeChance chance that something takes much longer
     * @param spike mean of what is added then
     * @param peerOneWay shortest time between two compute nodes
     * @param gapChance chance that another session's verbs may come between two verbs of one chain
     * @param tearChance chance that other writes may come between the words of one READ or WRITE
     * @param gap mean of the time between
     * @param stallChance chance that a thread is held up between deciding and posting
     * @param stall mean of the time it is held up
     * @param loss chance that a message between compute nodes never arrives
     * @param duplication chance that it arrives twice
     */
    public record Network(
            long oneWay,
            long jitter,
            double spikeChance,
            long spike,
            long peerOneWay,
            double gapChance,
            double tearChance,
            long gap,
            double stallChance,
            long stall,
            double loss,
            double duplication) {}

    /**
     * What callers do.
     *
     * @param operations acquisitions per caller
     * @param readShare share of shared acquisitions
     * @param tryShare share that must not wait
     * @param timedShare share that gives up after a while
     * @param patience mean of that while
     * @param reenterShare share of holds that are acquired again by their owner
     * @param convertShare share of holds that are upgraded or downgraded
     * @param nestShare share of holds during which a later name is acquired too
     * @param ceilingShare share of holds that are ended against their owner's will
     * @param forgetShare chance that a compute node forgets an idle lock after a release
     * @param think mean pause between two acquisitions
     * @param hold mean length of a hold
     */
    public record Workload(
            int operations,
            double readShare,
            double tryShare,
            double timedShare,
            long patience,
            double reenterShare,
            double convertShare,
            double nestShare,
            double ceilingShare,
            double forgetShare,
            long think,
            long hold) {}

    /**
     * What goes wrong, and until when.
     *
     * @param until instant from which on nothing goes wrong any more
     * @param kills compute nodes that die
     * @param restart whether a process comes back in place of one that died
     * @param pauses pauses of compute nodes
     * @param pause mean length of a pause
     * @param cuts times that a compute node cannot reach the memory node, in one or both directions
     * @param cut mean length of a cut
     * @param forcedResets resets that somebody asks for without need
     * @param slowNodes compute nodes whose operations take much longer
     * @param driftPpm largest drift of a clock, in millionths
     * @param clockError largest error of the clock that the memory node tells
     */
    public record Faults(
            long until,
            int kills,
            boolean restart,
            int pauses,
            long pause,
            int cuts,
            long cut,
            int forcedResets,
            int slowNodes,
            int driftPpm,
            long clockError) {
        /** Nothing goes wrong. */
        public static final Faults NONE = new Faults(0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * What goes wrong besides, until the same instant.
     *
     * @param restarts times that the memory node starts again with nothing in its memory
     * @param down mean time it is down then
     * @param second what takes the place of the second from which a memory node that starts derives its first epoch
     * @param memoryNodePauses pauses of the memory node
     * @param memoryNodePause mean length of one
     * @param partitions times that compute nodes cannot reach each other, or the memory node, in one or both directions
     * @param partition mean length of a partition; half of them are so short that they heal in the middle of a reset
     * @param jumps jumps of a clock, of a compute node or of the memory node
     * @param deathsInSync compute nodes that die between asking the memory node for its time and the answer
     * @param memoryNodeDriftPpm drift of the clock by which the memory node judges leases, in millionths
     * @param verbNanos time the memory node needs for a verb, during which it executes no other
     * @param atomicNanos time for which an atomic keeps others from words like its own
     * @param window most chains of a session that are on their way at a time, 0 for no bound
     */
    public record Outages(
            int restarts,
            long down,
            long second,
            int memoryNodePauses,
            long memoryNodePause,
            int partitions,
            long partition,
            int jumps,
            int deathsInSync,
            int memoryNodeDriftPpm,
            long verbNanos,
            long atomicNanos,
            int window) {
        /** Nothing. */
        public static final Outages NONE = new Outages(0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * What goes wrong only where a run is about it, until the same instant.
     *
     * @param brokenClocks times that the clock of a compute node stands still or goes back, as if the margin of the lease were nothing
     * @param brokenClock mean of how long it stands still and of how far it goes back
     * @param deathsInReset compute nodes that die after they have asked for a reset, and whose place another takes at once
     * @param disconnects connections to the memory node that break, after which their process joins again; a request to join may come twice
     */
    public record Rare(int brokenClocks, long brokenClock, int deathsInReset, int disconnects) {
        /** Nothing. */
        public static final Rare NONE = new Rare(0, 0, 0, 0);
    }

    @Override
    public String toString() {
        return String.join(
                "\n",
                "  " + cluster,
                "  " + network,
                "  " + workload,
                "  " + faults,
                "  " + outages,
                "  " + rare,
                "  " + local,
                "  " + cql);
    }
}
