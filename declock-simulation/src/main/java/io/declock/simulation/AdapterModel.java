// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/**
 * The times of a cluster's adapters, of its compute nodes' processors, and of the ways between them. A zero takes no time, so that a model of zeros is infinitely fast. Where the values come
 * from is in {@code docs/evaluation/calibration.md}. Immutable.
 *
 * @param name what it models
 * @param verbOneWay nanoseconds of a verb's way to the memory node and of its result's way back, each, without sizes and queues
 * @param messageOneWay nanoseconds of a message's way from one compute node to another, or between one and the memory node
 * @param jitter mean of what is added to each way, in nanoseconds
 * @param atomicLatency nanoseconds that an atomic takes longer than a READ, in which its adapter does other things
 * @param memoryNode the memory node's adapter
 * @param computeNode the adapter of each compute node
 * @param processor the processor of each compute node
 */
public record AdapterModel(
        String name,
        long verbOneWay,
        long messageOneWay,
        long jitter,
        long atomicLatency,
        Adapter memoryNode,
        Adapter computeNode,
        Processor processor) {
    /** Makes one whose compute nodes have infinitely fast processors. */
    public AdapterModel(
            String name,
            long verbOneWay,
            long messageOneWay,
            long jitter,
            long atomicLatency,
            Adapter memoryNode,
            Adapter computeNode) {
        this(
                name,
                verbOneWay,
                messageOneWay,
                jitter,
                atomicLatency,
                memoryNode,
                computeNode,
                Processor.INFINITELY_FAST);
    }

    /**
     * One adapter.
     *
     * @param readNanos how long a READ occupies it, in nanoseconds, without its words
     * @param writeNanos how long a WRITE does
     * @param atomicNanos how long an atomic does
     * @param messageNanos how long a message does, sent or received
     * @param bucketNanos how long after an atomic the next one of the same bucket of addresses begins
     * @param buckets number of buckets, a power of two
     * @param bytesPerNano bandwidth in each direction, in bytes per nanosecond; zero for one without a limit
     */
    public record Adapter(
            long readNanos,
            long writeNanos,
            long atomicNanos,
            long messageNanos,
            long bucketNanos,
            int buckets,
            double bytesPerNano) {
        /** An infinitely fast adapter. */
        public static final Adapter INFINITELY_FAST = new Adapter(0, 0, 0, 0, 0, 1, 0);

        /** Returns it with other times of READs and WRITEs. */
        public Adapter withReadsAndWrites(long nanos) {
            return new Adapter(nanos, nanos, atomicNanos, messageNanos, bucketNanos, buckets, bytesPerNano);
        }

        /** Returns it with other times of atomics, in the pipeline and of one bucket. */
        public Adapter withAtomics(long nanos, long ofBucketNanos) {
            return new Adapter(readNanos, writeNanos, nanos, messageNanos, ofBucketNanos, buckets, bytesPerNano);
        }
    }

    /**
     * The processor of a compute node. Each client runs on one core, where its steps wait for those of other clients and each other; the messages of DecLock's
     * compute nodes go round the cores.
     *
     * @param cores number of cores, which the clients of a compute node share by turns; zero for one for each client
     * @param postNanos how long a core posts a verb, in nanoseconds
     * @param completionNanos how long it takes a completion, one for each chain, until the client goes on
     * @param sendNanos how long it sends a message
     * @param receiveNanos how long it receives a message
     * @param localLockNanos how long DecLock's local lock takes for an acquisition or a release
     */
    public record Processor(
            int cores, long postNanos, long completionNanos, long sendNanos, long receiveNanos, long localLockNanos) {
        /** An infinitely fast processor. */
        public static final Processor INFINITELY_FAST = new Processor(0, 0, 0, 0, 0, 0);

        /** Returns one with so many cores, each of which posts a verb or a message, and takes a completion or a message, in so many nanoseconds each. */
        public static Processor of(int cores, long nanos) {
            return new Processor(cores, nanos, nanos, nanos, nanos, 0);
        }
    }

    /** ConnectX-4, 100 Gbit/s: the testbed of <i>DecLock</i>. */
    public static final AdapterModel CONNECT_X4 = new AdapterModel(
            "ConnectX-4",
            1_050,
            1_000,
            20,
            0,
            new Adapter(29, 29, 131, 29, 131, 4_096, 12.5),
            new Adapter(29, 29, 29, 29, 0, 1, 12.5));

    /** ConnectX-5, 100 Gbit/s: the testbed of <i>ShiftLock</i> (FAST 2025). */
    public static final AdapterModel CONNECT_X5 = new AdapterModel(
            "ConnectX-5",
            780,
            1_000,
            10,
            200,
            new Adapter(16, 16, 34, 34, 261, 4_096, 12.5),
            new Adapter(16, 16, 16, 34, 0, 1, 12.5));

    /** ConnectX-3, 56 Gbit/s, whose atomics all follow each other: the testbed of <i>DSLR</i> (SIGMOD 2018). */
    public static final AdapterModel CONNECT_X3 = new AdapterModel(
            "ConnectX-3",
            1_050,
            1_000,
            20,
            0,
            new Adapter(38, 38, 38, 38, 555, 1, 6.8),
            new Adapter(38, 38, 38, 38, 0, 1, 6.8));

    /** Returns it with another way between compute nodes: so many times that of a verb. */
    public AdapterModel withPeerDistance(double factor) {
        return withMessageOneWay(Math.round(verbOneWay * factor));
    }

    /** Returns it with another way of verbs. */
    public AdapterModel withVerbOneWay(long nanos) {
        return new AdapterModel(name, nanos, messageOneWay, jitter, atomicLatency, memoryNode, computeNode, processor);
    }

    /** Returns it with another way of messages. */
    public AdapterModel withMessageOneWay(long nanos) {
        return new AdapterModel(name, verbOneWay, nanos, jitter, atomicLatency, memoryNode, computeNode, processor);
    }

    /** Returns it with another adapter of the memory node. */
    public AdapterModel withMemoryNode(Adapter other) {
        return new AdapterModel(name, verbOneWay, messageOneWay, jitter, atomicLatency, other, computeNode, processor);
    }

    /** Returns it with other adapters of the compute nodes. */
    public AdapterModel withComputeNode(Adapter other) {
        return new AdapterModel(name, verbOneWay, messageOneWay, jitter, atomicLatency, memoryNode, other, processor);
    }

    /** Returns it with other processors of the compute nodes. */
    public AdapterModel with(Processor other) {
        return new AdapterModel(name, verbOneWay, messageOneWay, jitter, atomicLatency, memoryNode, computeNode, other);
    }

    /**
     * Returns it with so many memory nodes of which each has a part of the words. They are one memory node whose adapter is so many times as fast: words are spread evenly over as many times the buckets.
     *
     * @param nodes number of memory nodes, a power of two
     */
    public AdapterModel withMemoryNodes(int nodes) {
        Adapter one = memoryNode;
        return withMemoryNode(new Adapter(
                one.readNanos() / nodes,
                one.writeNanos() / nodes,
                one.atomicNanos() / nodes,
                one.messageNanos() / nodes,
                one.bucketNanos(),
                one.buckets() * nodes,
                one.bytesPerNano() * nodes));
    }
}
