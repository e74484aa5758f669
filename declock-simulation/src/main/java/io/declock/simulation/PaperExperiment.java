// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Counters.Event;
import io.declock.FairnessPolicy;
import io.declock.GrantKind;
import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.ReleaseRead;
import io.declock.Verb;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.monitor.NodeCounters;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.Arrays;
import java.util.function.ToLongFunction;

/**
 * The microbenchmark of DecLock, section 6.2, in virtual time: callers acquire a lock chosen by Zipf's law, do remote operations inside,
 * and release it. Counts the verbs that this costs at the memory node.
 *
 * <p>A caller continues when its release has completed, as the paper's callers do. Callers of this library need not wait for that, so a
 * pause of one round trip models the wait. The adapters are those of {@link AdapterModel#CONNECT_X4}.
 */
public final class PaperExperiment {
    /** The adapters of the paper's cluster. */
    static final AdapterModel MODEL = AdapterModel.CONNECT_X4;

    private static final long PAUSE = 2 * MODEL.verbOneWay();

    /**
     * The parameters that are varied.
     *
     * @param memoryNodes number of memory nodes
     * @param computeNodes number of compute nodes
     * @param clientsPerNode number of callers in each
     * @param locks number of lock names
     * @param zipf skew of the choice of names
     * @param readShare share of readers
     * @param operationsInside remote operations inside the critical section
     * @param policy fairness policy
     * @param preArmed whether hand-overs are pre-armed
     * @param releaseRead which releases read the queue; in the paper all of them
     * @param keep whether locks are kept; in the paper none is
     * @param warmUp virtual nanoseconds before counting begins
     * @param duration virtual nanoseconds of counting
     */
    public record Setting(
            int memoryNodes,
            int computeNodes,
            int clientsPerNode,
            int locks,
            double zipf,
            double readShare,
            int operationsInside,
            FairnessPolicy policy,
            boolean preArmed,
            ReleaseRead releaseRead,
            boolean keep,
            long warmUp,
            long duration) {
        /** The paper's default workload. */
        public static final Setting DEFAULT = new Setting(
                1,
                8,
                32,
                100_000,
                0.99,
                0.5,
                1,
                FairnessPolicy.TASK_FAIR,
                true,
                ReleaseRead.ADAPTIVE,
                false,
                2_000_000,
                40_000_000);

        /** Returns the setting with another policy and hand-over. */
        public Setting with(FairnessPolicy other, boolean armed, ReleaseRead reading) {
            return with(readShare, operationsInside, other, armed, reading, duration);
        }

        /** Returns the setting with other shares and lengths. */
        public Setting with(double reads, int inside) {
            return with(reads, inside, policy, preArmed, releaseRead, duration);
        }

        /** Returns the setting with locks that are kept. */
        public Setting keeping() {
            return new Setting(
                    memoryNodes,
                    computeNodes,
                    clientsPerNode,
                    locks,
                    zipf,
                    readShare,
                    operationsInside,
                    policy,
                    preArmed,
                    releaseRead,
                    true,
                    warmUp,
                    duration);
        }

        /** Returns the setting with another duration. */
        public Setting lasting(long nanos) {
            return with(readShare, operationsInside, policy, preArmed, releaseRead, nanos);
        }

        /** Returns the setting with other numbers of nodes, one caller in each compute node, and locks of equal popularity. */
        public Setting with(int ofMemoryNodes, int ofComputeNodes, int ofLocks) {
            return new Setting(
                    ofMemoryNodes,
                    ofComputeNodes,
                    1,
                    ofLocks,
                    0,
                    readShare,
                    0,
                    policy,
                    preArmed,
                    releaseRead,
                    keep,
                    warmUp,
                    duration);
        }

        private Setting with(
                double reads, int inside, FairnessPolicy other, boolean armed, ReleaseRead reading, long nanos) {
            return new Setting(
                    memoryNodes,
                    computeNodes,
                    clientsPerNode,
                    locks,
                    zipf,
                    reads,
                    inside,
                    other,
                    armed,
                    reading,
                    keep,
                    warmUp,
                    nanos);
        }
    }

    /**
     * The result, all of it counted after the warm-up.
     *
     * @param setting the setting
     * @param acquisitions acquisitions by callers
     * @param remote acquisitions that took a position at the memory node
     * @param acquireOperations verbs of the acquire phase: one atomic each, and the WRITEs of queue entries
     * @param refetches READs repeated because entries were not filled
     * @param releaseOperations verbs of the release phase, without those counted below
     * @param prefetches READs of holders that check for remote waiters
     * @param selfChecks READs of waiters
     * @param resetOperations verbs of resets
     * @param local grants handed over inside a compute node
     * @param peer grants by a peer's message
     * @param p50 median time from the request to the grant, in nanoseconds
     * @param p99 99th percentile of that time
     * @param hash hash of all events
     */
    public record Result(
            Setting setting,
            long acquisitions,
            long remote,
            long acquireOperations,
            long refetches,
            long releaseOperations,
            long prefetches,
            long selfChecks,
            long resetOperations,
            long local,
            long peer,
            long p50,
            long p99,
            long hash) {
        /** Returns verbs of the acquire phase per remote acquisition. */
        public double acquireOperationsPerRemote() {
            return (double) acquireOperations / Math.max(1, remote);
        }

        /** Returns refetching READs per remote release; each remote acquisition has one release. */
        public double refetchesPerRelease() {
            return (double) refetches / Math.max(1, remote);
        }

        /** Returns verbs of the release phase per remote acquisition; a requeue's FAA counts for the acquisition. */
        public double releaseOperationsPerRemote() {
            return (double) releaseOperations / Math.max(1, remote);
        }

        /** Returns million acquisitions per second. */
        public double millionsPerSecond() {
            return acquisitions * 1e3 / setting.duration();
        }
    }

    private final Setting setting;
    private final SimulatedWorld world;
    private final SimulatedCluster cluster;
    private final NameChooser names;
    private final String[] nameOf;
    private long[] waits = new long[1 << 16];
    private int waited;
    private long[] kinds = new long[GrantKind.values().length];
    private boolean counting;

    private PaperExperiment(long seed, Setting setting) {
        this.setting = setting;
        this.world = new SimulatedWorld(seed, new Trace(0));
        this.cluster = new SimulatedCluster(world, options(setting), WatchedRegion.Observer.NONE);
        this.names = new NameChooser(world, setting.locks(), setting.zipf());
        this.nameOf = new String[setting.locks()];
        for (int i = 0; i < nameOf.length; i++) {
            nameOf[i] = NameChooser.name(i);
        }
    }

    /** Runs a setting. */
    public static Result run(long seed, Setting setting) {
        return new PaperExperiment(seed, setting).run();
    }

    private static SimulationOptions options(Setting setting) {
        return MeasuredOptions.of(
                new DecLockSystem(
                        setting.policy(),
                        setting.preArmed(),
                        setting.releaseRead(),
                        setting.keep(),
                        LockSystem.HandOver.BY_TIMESTAMPS,
                        LockSystem.Variation.NONE),
                MeasuredOptions.cluster(
                        setting.computeNodes(), setting.clientsPerNode(), setting.locks(), setting.zipf()),
                MeasuredOptions.network(MODEL),
                new SimulationOptions.Wiring(setting.memoryNodes(), 0, 0, 0, 0, 0, 0, 0),
                setting.readShare());
    }

    private Result run() {
        cluster.knowNames();
        cluster.memoryNodes().forEach(memoryNode -> memoryNode.use(MODEL));
        for (int i = 0; i < setting.computeNodes(); i++) {
            SimulatedComputeNode node = cluster.start("cn" + i, "address" + i);
            node.use(new SimulatedNic(MODEL.computeNode()));
            for (int c = 0; c < setting.clientsPerNode(); c++) {
                world.after(20_000 + world.below(2_000), node, new Caller(node)::next);
            }
        }
        advance(setting.warmUp());
        long[] before = count();
        counting = true;
        advance(setting.duration());
        long[] after = count();
        long[] sorted = Arrays.copyOf(waits, waited);
        Arrays.sort(sorted);
        return new Result(
                setting,
                waited,
                after[0] - before[0],
                after[1] - before[1],
                after[2] - before[2],
                after[3] - before[3],
                after[4] - before[4],
                after[5] - before[5],
                after[6] - before[6],
                kinds[GrantKind.LOCAL.ordinal()],
                kinds[GrantKind.PEER.ordinal()],
                waited == 0 ? 0 : sorted[waited / 2],
                waited == 0 ? 0 : sorted[(int) (waited * 0.99)],
                world.trace().hash());
    }

    private void advance(long nanos) {
        long end = world.now() + nanos;
        boolean more = true;
        while (more) {
            more = world.step(end);
        }
    }

    private long[] count() {
        return new long[] {
            sum(counters -> counters.get(Event.REMOTE_ACQUISITION)),
            sum(counters -> counters.verbs(Purpose.ACQUIRE)
                    + counters.verbs(Purpose.REQUEUE, Verb.FETCH_AND_ADD)
                    + counters.verbs(Purpose.ENTRY)),
            sum(counters -> counters.verbs(Purpose.REFETCH)),
            sum(counters -> counters.verbs(Purpose.RELEASE) + counters.verbs(Purpose.REQUEUE, Verb.READ)),
            sum(counters -> counters.verbs(Purpose.PREFETCH)),
            sum(counters -> counters.verbs(Purpose.SELF_CHECK)),
            sum(counters -> counters.verbs(Purpose.RESET))
        };
    }

    private long sum(ToLongFunction<NodeCounters> what) {
        return cluster.nodes().stream()
                .mapToLong(node -> what.applyAsLong(node.counters()))
                .sum();
    }

    private void granted(long wait, GrantKind kind) {
        if (!counting) {
            return;
        }
        if (waited == waits.length) {
            waits = Arrays.copyOf(waits, 2 * waited);
        }
        waits[waited++] = wait;
        kinds[kind.ordinal()]++;
    }

    /** One caller. */
    private final class Caller extends VerbChain {
        private final SimulatedComputeNode node;
        private Acquisition current = new Acquisition(this, LockMode.READ);
        private int operationsLeft;

        Caller(SimulatedComputeNode node) {
            this.node = node;
        }

        void next() {
            LockMode mode = world.chance(setting.readShare()) ? LockMode.READ : LockMode.WRITE;
            current = new Acquisition(this, mode);
            node.acquire(nameOf[names.choose()], current);
            current.run();
        }

        void granted(Acquisition acquisition) {
            PaperExperiment.this.granted(
                    world.now() - acquisition.since, acquisition.hold().kind());
            operationsLeft = setting.operationsInside();
            goOn();
        }

        private void goOn() {
            SimulatedSession session = node.session();
            if (operationsLeft-- > 0 && session != null) {
                session.memory().post(begin(Purpose.INSPECT).read(0, 1));
            } else {
                HeldLock.release(current.hold(), current.mode());
                world.after(PAUSE, node, this::next);
            }
        }

        @Override
        public void completed(VerbResults results) {
            goOn();
        }

        @Override
        public void failed(FabricException cause) {
            throw new IllegalStateException(cause);
        }
    }

    private final class Acquisition extends LocalWaiter {
        private final Caller caller;
        private final long since = world.now();
        private boolean told;

        Acquisition(Caller caller, LockMode mode) {
            super(caller, mode, false);
            this.caller = caller;
        }

        @Override
        public void run() {
            if (!told && state() == State.GRANTED) {
                told = true;
                caller.granted(this);
            }
        }
    }
}
