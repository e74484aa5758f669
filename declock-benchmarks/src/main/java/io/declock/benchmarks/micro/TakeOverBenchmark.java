// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.micro;

import io.declock.LockMode;
import io.declock.benchmarks.peer.BareVerbPeer;
import io.declock.benchmarks.peer.DecLockPeer;
import io.declock.benchmarks.peer.LockUnderTest;
import io.declock.benchmarks.peer.Tuning;
import io.declock.benchmarks.server.LocalMemoryNode;
import io.declock.internal.tcp.server.MemoryNodeServer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The first acquisition of a compute node after another one has used the lock and keeps it, beside that of a lock that nobody keeps and beside one verb: TCP loopback, both compute nodes and
 * the memory node in this JVM.
 */
@SuppressWarnings("NullAway.Init")
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 10)
@Measurement(iterations = 3, time = 10)
@Fork(1)
public class TakeOverBenchmark {
    private static final int ACQUISITIONS_BEFORE = 32;

    /** Whether the compute nodes keep locks. */
    @Param({"false", "true"})
    private boolean keep;

    private LocalMemoryNode memoryNode;
    private MemoryNodeServer server;
    private BareVerbPeer verbs;
    private DecLockPeer keeper;
    private DecLockPeer newcomer;

    /** Starts a memory node and joins it as two compute nodes. */
    @Setup
    public void start() throws Exception {
        memoryNode = LocalMemoryNode.small();
        server = memoryNode.serve(Duration.ZERO);
        String address = "tcp://127.0.0.1:" + server.port();
        Tuning tuning = Tuning.DEFAULTS.with(Map.of("keep", String.valueOf(keep)));
        verbs = new BareVerbPeer(address, "verbs", tuning);
        keeper = DecLockPeer.joined(address, "keeper", tuning);
        newcomer = DecLockPeer.joined(address, "newcomer", tuning);
    }

    /** Has the lock used often enough that it is kept, where locks are kept. */
    @Setup(Level.Invocation)
    public void use() throws Exception {
        for (int i = 0; i < ACQUISITIONS_BEFORE; i++) {
            keeper.lock("lock", LockMode.WRITE).unlock();
        }
    }

    /** Stops all. */
    @TearDown
    public void stop() {
        newcomer.close();
        keeper.close();
        verbs.close();
        server.close();
        memoryNode.close();
    }

    /** The other compute node's acquisition. */
    @Benchmark
    public void takeOver(Held held) {
        held.lock = newcomer.lock("lock", LockMode.WRITE);
    }

    /** One READ of one word. */
    @Benchmark
    public void read() {
        verbs.lock("lock", LockMode.READ);
    }

    /** What the newcomer holds until the end of an invocation. */
    @State(Scope.Thread)
    public static class Held {
        private LockUnderTest.Held lock;

        /** Releases it. */
        @TearDown(Level.Invocation)
        public void release() throws Exception {
            lock.unlock();
        }
    }
}
