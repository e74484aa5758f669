// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.rdma.CompletionLoop.CompletionQueue;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.ForwardingFabric;
import io.declock.spi.ForwardingSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What an uncontended lock costs beside the adapter: the whole way of an acquisition through lock table, protocol, ring of chains and
 * taking of completions, on a {@link InstantDevice}. Not in it are the calls into the libraries, which {@code VerbBenchmark} measures.
 * Run like that one.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class LockBenchmark {
    private static final int NAMES = 64;

    private ScheduledExecutorService timer;
    private MemoryNode memoryNode;
    private Verbs fabric;
    private ComputeNode node;

    /** Starts a memory node and a compute node that reaches it by verbs. */
    @Setup
    public void start() throws Exception {
        timer = Executors.newSingleThreadScheduledExecutor();
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("benchmark")
                        .records(1000)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        NodeCounters counters = new NodeCounters();
        InProcessFabric control = InProcessFabric.open(memoryNode, counters);
        fabric = new Verbs(control, memoryNode, counters);
        node = ComputeNode.builder()
                .memoryNodes(List.of(control.address()))
                .fabric(fabric)
                .counters(counters)
                .build();
        node.start();
        if (!node.awaitReady(Duration.ofSeconds(10))) {
            throw new IllegalStateException("not ready");
        }
        // Gives the region its memory.
        node.acquire(LockRequest.write("benchmark-0")).close();
    }

    /** Stops them. */
    @TearDown
    public void stop() throws Exception {
        node.close();
        memoryNode.close();
        timer.shutdownNow();
    }

    /** The names of locks in turn. */
    @State(Scope.Thread)
    public static class Names {
        private int next;

        LockRequest request() {
            return LockRequest.write("benchmark-" + next++ % NAMES);
        }
    }

    /** What a thread holds between two calls. */
    @State(Scope.Thread)
    public static class Holding {
        private LockHandle handle;

        /** Gives it back. */
        @TearDown(Level.Invocation)
        public void release() {
            handle.close();
        }
    }

    /** Acquiring alone; each sample contains one reading of the clock, some 25 ns. */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public void acquire(Names names, Holding holding) throws InterruptedException {
        holding.handle = node.acquire(names.request());
    }

    /** Acquiring and giving back. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    public void acquireAndRelease(Names names) throws InterruptedException {
        node.acquire(names.request()).close();
    }

    /** A fetch-and-add as a chain of the fabric, posted and taken by the caller. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    public void chain(Chain chain) {
        chain.addition.begin(Purpose.ACQUIRE).fetchAndAdd(0, 0);
        chain.addition.over = false;
        fabric.queue.post(chain.addition);
        while (!chain.addition.over) {
            Thread.onSpinWait();
        }
    }

    /** One chain for each thread. */
    @State(Scope.Thread)
    public static class Chain {
        private final Addition addition = new Addition();
    }

    private static final class Addition extends VerbChain {
        private volatile boolean over;

        @Override
        public void completed(VerbResults results) {
            over = true;
        }

        @Override
        public void failed(FabricException cause) {
            throw new IllegalStateException(cause);
        }
    }

    /** Executes verbs by the ring of the RDMA fabric; everything else is the in-process fabric's. */
    private static final class Verbs extends ForwardingFabric {
        private final CompletionLoop loop;
        private final CompletionQueue completions;
        private final VerbQueue queue;
        private final NodeCounters counters;

        Verbs(InProcessFabric control, MemoryNode memoryNode, NodeCounters counters) throws IOException {
            super(control);
            this.counters = counters;
            InstantDevice device = new InstantDevice(memoryNode.region());
            ConnectionSettings settings = ConnectionSettings.DEFAULTS;
            RdmaCounters rdmaCounters = new RdmaCounters();
            loop = new CompletionLoop(device, EventDevice.context(), settings, rdmaCounters);
            LaterQueue handler = new LaterQueue();
            completions = loop.create(settings.maxInFlight(), handler);
            RegionGrant grant = new RegionGrant(0, memoryNode.region().sizeBytes(), 0x42);
            queue = new VerbQueue(
                    device,
                    null,
                    new ChainSlots(device, null, grant, settings.maxInFlight(), settings.inlineBytes()),
                    rdmaCounters,
                    cause -> {
                        throw new IllegalStateException(cause);
                    },
                    new Takers(completions, settings.pollTime().toNanos()),
                    new ReentrantLock(),
                    new WaitingChains(none -> {}));
            handler.queue = queue;
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            return super.join(address, request, listener).thenApply(session -> new Session(session, this));
        }

        @Override
        public void close() {
            super.close();
            loop.remove(completions, () -> {});
            loop.close();
        }
    }

    private static final class Session extends ForwardingSession {
        private final Verbs fabric;

        Session(FabricSession inProcess, Verbs fabric) {
            super(inProcess);
            this.fabric = fabric;
        }

        /** As {@link RdmaSession} does. */
        @Override
        public void post(VerbChain chain) {
            for (int i = 0; i < chain.size(); i++) {
                fabric.counters.verb(chain.purpose(), chain.verb(i));
            }
            fabric.queue.post(chain);
        }
    }
}
