// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.CqlSettings;
import io.declock.KeepSettings;
import io.declock.LocalSettings;

/**
 * All parameters of a run besides the seed. Durations in nanoseconds, shares and chances from 0 to 1.
 *
 * @param cluster the nodes and callers
 * @param network delays of operations and messages
 * @param workload actions of callers
 * @param faults faults
 * @param local bounds of the local level
 * @param cql intervals of the protocol
 * @param outages further faults
 * @param rare faults of special runs only
 * @param wiring memory nodes, and what happens to them and to processes on purpose
 * @param elections candidates of the memory nodes, and the engine that elects one of them
 * @param minimums holds that last a while at least
 * @param keep when positions are kept that nobody uses
 * @param valueShare share of holds that read the value of their lock, and store another one if they are exclusive
 */
public record SimulationOptions(
        Cluster cluster,
        Network network,
        Workload workload,
        Faults faults,
        LocalSettings local,
        CqlSettings cql,
        Outages outages,
        Rare rare,
        Wiring wiring,
        Elections elections,
        Minimums minimums,
        KeepSettings keep,
        double valueShare) {

    /** Makes options that keep no positions. */
    public SimulationOptions(
            Cluster cluster,
            Network network,
            Workload workload,
            Faults faults,
            LocalSettings local,
            CqlSettings cql,
            Outages outages,
            Rare rare,
            Wiring wiring,
            Elections elections,
            Minimums minimums) {
        this(
                cluster,
                network,
                workload,
                faults,
                local,
                cql,
                outages,
                rare,
                wiring,
                elections,
                minimums,
                KeepSettings.OFF,
                0);
    }

    /** Returns the options with other settings of kept positions. */
    public SimulationOptions keeping(KeepSettings other) {
        return new SimulationOptions(
                cluster,
                network,
                workload,
                faults,
                local,
                cql,
                outages,
                rare,
                wiring,
                elections,
                minimums,
                other,
                valueShare);
    }

    /** Returns the options with that share of holds that read and store the values of their locks. */
    public SimulationOptions withValues(double share) {
        return new SimulationOptions(
                cluster, network, workload, faults, local, cql, outages, rare, wiring, elections, minimums, keep,
                share);
    }

    /** Makes options without holds that last a while at least. */
    public SimulationOptions(
            Cluster cluster,
            Network network,
            Workload workload,
            Faults faults,
            LocalSettings local,
            CqlSettings cql,
            Outages outages,
            Rare rare,
            Wiring wiring,
            Elections elections) {
        this(cluster, network, workload, faults, local, cql, outages, rare, wiring, elections, Minimums.NONE);
    }

    /** Makes options without stand-bys. */
    public SimulationOptions(
            Cluster cluster,
            Network network,
            Workload workload,
            Faults faults,
            LocalSettings local,
            CqlSettings cql,
            Outages outages,
            Rare rare,
            Wiring wiring) {
        this(cluster, network, workload, faults, local, cql, outages, rare, wiring, Elections.NONE);
    }

    /** Makes options with one memory node that has enough records. */
    public SimulationOptions(
            Cluster cluster,
            Network network,
            Workload workload,
            Faults faults,
            LocalSettings local,
            CqlSettings cql,
            Outages outages,
            Rare rare) {
        this(cluster, network, workload, faults, local, cql, outages, rare, Wiring.NONE);
    }

    /** Makes options without rare faults. */
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
     * The nodes and callers.
     *
     * @param computeNodes number of compute nodes
     * @param clientsPerNode number of callers in each of them
     * @param locks number of lock names
     * @param zipf skew of the choice of names, 0 for none
     * @param capacity queue capacity of a record
     * @param indicesLeft how many indices fresh records have left before the end of the index range, or -1 for all
     * @param admitAll whether more compute nodes than the capacity may join, so that queues overflow
     * @param lease requested lease
     * @param leaseMargin how much earlier a compute node treats its lease as expired
     * @param heartbeat interval of heartbeats
     */
    public record Cluster(
            int computeNodes,
            int clientsPerNode,
            int locks,
            double zipf,
            int capacity,
            int indicesLeft,
            boolean admitAll,
            long lease,
            long leaseMargin,
            long heartbeat) {}

    /**
     * Delays of operations and messages.
     *
     * @param oneWay shortest time from a compute node to the memory node, and back
     * @param jitter mean of a random addition to it
     * @param spikeChance chance of a much longer delay
     * @param spike mean of the addition then
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
     * Actions of callers.
     *
     * @param operations acquisitions per caller
     * @param readShare share of shared acquisitions
     * @param tryShare share that must not wait
     * @param timedShare share that gives up after some time
     * @param patience mean of that time
     * @param reenterShare share of holds that their owner acquires again
     * @param convertShare share of holds that are upgraded or downgraded
     * @param nestShare share of holds during which their owner also acquires a later name
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
            long hold) {
        /** Returns these actions at another pace. */
        Workload paced(int ofOperations, long ofThink, long ofHold) {
            return new Workload(
                    ofOperations,
                    readShare,
                    tryShare,
                    timedShare,
                    patience,
                    reenterShare,
                    convertShare,
                    nestShare,
                    ceilingShare,
                    forgetShare,
                    ofThink,
                    ofHold);
        }
    }

    /**
     * Faults, and their end.
     *
     * @param until instant after which no faults occur
     * @param kills number of compute nodes that die
     * @param restart whether a new process replaces one that died
     * @param pauses number of pauses of compute nodes
     * @param pause mean length of a pause
     * @param cuts number of times that a compute node cannot reach the memory node, in one or both directions
     * @param cut mean length of a cut
     * @param forcedResets number of resets requested without need
     * @param slowNodes number of compute nodes whose operations take much longer
     * @param driftPpm largest drift of a clock, in millionths
     * @param clockError largest error of the clock that the memory node reports
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
        /** No faults. */
        public static final Faults NONE = new Faults(0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Further faults, until the same instant.
     *
     * @param restarts number of times that the memory node starts again with empty memory
     * @param down mean time it is down then
     * @param second length of the simulated second from which a starting memory node derives its first epoch
     * @param memoryNodePauses number of pauses of the memory node
     * @param memoryNodePause mean length of such a pause
     * @param partitions number of times that compute nodes cannot reach each other, or the memory node, in one or both directions
     * @param partition mean length of a partition; half of them are so short that they heal in the middle of a reset
     * @param jumps number of jumps of a clock, of a compute node or of the memory node
     * @param deathsInSync number of compute nodes that die between asking the memory node for its time and the answer
     * @param memoryNodeDriftPpm drift of the clock with which the memory node measures leases, in millionths
     * @param verbNanos time the memory node needs for a verb, during which it executes no other
     * @param atomicNanos time for which an atomic blocks other atomics on words of the same bucket
     * @param window maximum number of chains of a session in flight, 0 for no bound
     * @param listed whether memory nodes have a list of their members that survives them, so that their next lives restore holds
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
            int window,
            boolean listed) {
        /** No outages. */
        public static final Outages NONE = new Outages(0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false);
    }

    /**
     * Faults of special runs only, until the same instant.
     *
     * @param brokenClocks number of times that the clock of a compute node stands still or goes back, beyond the margin of the lease
     * @param brokenClock mean of how long it stands still and of how far it goes back
     * @param deathsInReset number of compute nodes that die after they have asked for a reset, and that another process replaces at once
     * @param disconnects number of connections to the memory node that break, after which their process joins again; a request to join may
     *     come twice
     * @param resumptions number of connections to the memory node that break, after which their sessions go on with other connections
     * @param adapters whether adapters execute the verbs, so that the results of those in flight are lost with a connection
     */
    public record Rare(
            int brokenClocks, long brokenClock, int deathsInReset, int disconnects, int resumptions, boolean adapters) {
        /** Makes rare faults where the memory node's processor executes the verbs. */
        public Rare(int brokenClocks, long brokenClock, int deathsInReset, int disconnects, int resumptions) {
            this(brokenClocks, brokenClock, deathsInReset, disconnects, resumptions, false);
        }

        /** No rare faults. */
        public static final Rare NONE = new Rare(0, 0, 0, 0, 0);
    }

    /**
     * Memory nodes, and what happens to them and to processes on purpose, until the same instant.
     *
     * @param memoryNodes number of memory nodes
     * @param records records of each of them, 0 for as many as there are names, and some
     * @param reclaimInterval how long a record must have been idle before it is reclaimed, 0 for never
     * @param otherIds number of times that a memory node comes back under another id, until it is given its id back
     * @param otherId mean time that another id lasts
     * @param overlaps number of times that a second memory node of one id begins behind one address while the first one lives on; then one
     *     of the two dies
     * @param drains number of processes that shut down while their callers wait, and are replaced
     * @param listChanges number of times that a memory node is added to the list of memory nodes, or removed; the last one is not on it at first
     */
    public record Wiring(
            int memoryNodes,
            int records,
            long reclaimInterval,
            int otherIds,
            long otherId,
            int overlaps,
            int drains,
            int listChanges) {
        /** One memory node, and no changes. */
        public static final Wiring NONE = new Wiring(1, 0, 0, 0, 0, 0, 0, 0);

        /** Returns how many memory nodes processes are configured with. */
        int configured() {
            return listChanges > 0 ? memoryNodes - 1 : memoryNodes;
        }
    }

    /**
     * Candidates of each memory node, and faults of the engine, until the same instant. Restarts and pauses of a memory node are those of a
     * candidate then.
     *
     * @param candidates how many candidates each memory node has, 0 for no elections
     * @param lease lease of a term
     * @param engineCuts number of times that candidates cannot reach the engine, or each other
     * @param engineCut mean length of such a time
     * @param resignations number of times that the serving candidate is told to end, and starts again
     */
    public record Elections(int candidates, long lease, int engineCuts, long engineCut, int resignations) {
        /** No stand-bys. */
        public static final Elections NONE = new Elections(0, 0, 0, 0, 0);
    }

    /**
     * Holds that last a while at least.
     *
     * @param share share of the exclusive holds that do
     * @param mean mean of how long
     */
    public record Minimums(double share, long mean) {
        /** No such holds. */
        public static final Minimums NONE = new Minimums(0, 0);
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
                "  " + wiring,
                "  " + elections,
                "  " + minimums,
                "  " + keep,
                "  values " + valueShare,
                "  " + local,
                "  " + cql);
    }
}
