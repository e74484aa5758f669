// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static java.util.Objects.requireNonNull;

import io.declock.CqlSettings;
import io.declock.LocalSettings;
import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.ResetReason;
import io.declock.simulation.AdapterModel.Processor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures a reset (DecLock, figure 16, left), and its effect on all other callers while one reader holds the lock for a long time. This
 * implementation lets holders keep the lock across a reset; the paper's reset waits until each client that holds it has released.
 *
 * <p>For the paper's rule, the initiator's signals to the holder's compute node are withheld until the hold has ended, so that it
 * acknowledges then, as the paper's clients do. All other code is the same.
 */
public final class ResetExperiment {
    private static final long MILLI = 1_000_000;
    private static final String NAME = NameChooser.name(0);

    /**
     * The result.
     *
     * @param reset time from the request for the reset to the new epoch, in nanoseconds
     * @param readerWait how long a reader of another compute node waited that came immediately after the request
     * @param writerWait how long a writer waited that came a millisecond later
     * @param held how long the first reader held the lock
     * @param kept whether its hold was valid to the end, under the same fencing token
     */
    public record Result(long reset, long readerWait, long writerWait, long held, boolean kept) {}

    private final SimulatedWorld world;
    private final SimulatedCluster cluster;
    private long asked;
    private long ended;

    private ResetExperiment(int computeNodes) {
        this.world = new SimulatedWorld(1, new Trace(0));
        this.cluster = new SimulatedCluster(world, options(computeNodes), new EpochWatch());
        cluster.knowNames();
        cluster.memoryNode().use(PaperExperiment.MODEL);
    }

    private static SimulationOptions options(int computeNodes) {
        return new SimulationOptions(
                MeasuredOptions.cluster(computeNodes, 1, 1, 0),
                MeasuredOptions.network(PaperExperiment.MODEL),
                new SimulationOptions.Workload(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                SimulationOptions.Faults.NONE,
                LocalSettings.DEFAULTS,
                CqlSettings.DEFAULTS);
    }

    /**
     * Resets a lock once, where processors take no time.
     *
     * @param computeNodes number of compute nodes, all of which have used the lock; at least 4
     * @param hold how long a reader holds it, from a millisecond before the reset on; 0 for no reader
     * @param waitForHolder whether the reset waits for the reader, as the paper's does
     */
    public static Result run(int computeNodes, Duration hold, boolean waitForHolder) {
        return new ResetExperiment(computeNodes).run(hold.toNanos(), waitForHolder, Processor.INFINITELY_FAST);
    }

    /**
     * Resets a lock once, while it is free.
     *
     * @param computeNodes number of compute nodes, all of which have used the lock; at least 4
     * @param processor the processor of each compute node, of which one core does everything
     */
    public static Result run(int computeNodes, Processor processor) {
        return new ResetExperiment(computeNodes).run(0, false, processor);
    }

    private Result run(long hold, boolean waitForHolder, Processor processor) {
        List<SimulatedComputeNode> nodes = new ArrayList<>();
        for (int i = 0; i < cluster.options().cluster().computeNodes(); i++) {
            SimulatedComputeNode node = cluster.start("cn" + i, "address" + i);
            node.use(List.of(new SimulatedCore(processor)));
            nodes.add(node);
        }
        pass(MILLI);
        for (SimulatedComputeNode node : nodes) {
            new Caller(node, LockMode.WRITE, 0).come();
            pass(MILLI);
        }
        SimulatedComputeNode initiator = nodes.get(1);
        Caller holder = new Caller(nodes.get(0), LockMode.READ, hold);
        if (hold > 0) {
            holder.come();
        }
        pass(MILLI);
        if (waitForHolder) {
            long end = holder.grantedAt + hold;
            cluster.cutPeers(initiator.peerAddress(), nodes.get(0).peerAddress(), end, end);
        }
        asked = world.now();
        CqlLock remote = requireNonNull(initiator.snapshot().get(0).remote());
        world.after(0, initiator, () -> initiator.forceReset(remote, ResetReason.OVERFLOW));
        Caller reader = new Caller(nodes.get(2), LockMode.READ, MILLI);
        Caller writer = new Caller(nodes.get(3), LockMode.WRITE, MILLI);
        // The reader comes after the mark. The writer, behind which later readers would have to wait, comes when this
        // implementation's reset is over.
        world.after(5 * PaperExperiment.MODEL.verbOneWay(), reader.node, reader::come);
        world.after(MILLI, writer.node, writer::come);
        pass(hold + 1_000 * MILLI);
        return new Result(
                ended - asked,
                reader.waited(),
                writer.waited(),
                hold == 0 ? 0 : holder.releasedAt - holder.grantedAt,
                hold == 0 || holder.kept);
    }

    private void pass(long nanos) {
        long end = world.now() + nanos;
        boolean more = true;
        while (more) {
            more = world.step(end);
        }
    }

    /** Acquires the lock once. */
    private final class Caller extends LocalWaiter {
        private final SimulatedComputeNode node;
        private final long length;
        private @Nullable LocalLock lock;
        private long cameAt = -1;
        private long grantedAt = -1;
        private long releasedAt = -1;
        private long token;
        private boolean kept;

        Caller(SimulatedComputeNode node, LockMode mode, long length) {
            super(new Object(), mode, false);
            this.node = node;
            this.length = length;
        }

        void come() {
            cameAt = world.now();
            lock = node.acquire(NAME, this);
            run();
        }

        @Override
        public void run() {
            if (lock == null || grantedAt >= 0 || state() != State.GRANTED) {
                return;
            }
            grantedAt = world.now();
            token = hold().token();
            world.after(length, node, this::leave);
        }

        private void leave() {
            kept = hold().lost() == null && HeldLock.mayTrustLease(hold()) && hold().token() == token;
            releasedAt = world.now();
            HeldLock.release(hold(), mode());
        }

        long waited() {
            if (grantedAt < 0) {
                throw new IllegalStateException(node + " was never granted the lock in mode " + mode());
            }
            return grantedAt - cameAt;
        }
    }

    private final class EpochWatch implements WatchedRegion.Observer {
        @Override
        public void headerChanged(SimulatedSession session, long record, Purpose purpose, long before, long after) {
            if (LockHeader.epoch(before) != LockHeader.epoch(after)) {
                ended = world.now();
            }
        }

        @Override
        public void entryWritten(SimulatedSession session, long record, Purpose purpose, int word, long value) {}
    }
}
