// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.micro;

import io.declock.LockMode;
import io.declock.benchmarks.peer.BareVerbPeer;
import io.declock.benchmarks.peer.Tuning;
import io.declock.benchmarks.server.LocalMemoryNode;
import io.declock.internal.tcp.server.MemoryNodeServer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One verb to a memory node over TCP loopback and back, with the caller parked meanwhile; both ends run in this JVM. */
@SuppressWarnings("NullAway.Init")
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class TcpVerbBenchmark {
    /** How long event loops poll before they sleep, on both sides. */
    @Param({"0", "50"})
    private long pollMicros;

    private LocalMemoryNode memoryNode;
    private MemoryNodeServer server;
    private BareVerbPeer verbs;

    /** Starts a memory node and joins it. */
    @Setup
    public void start() throws Exception {
        memoryNode = LocalMemoryNode.small();
        server = memoryNode.serve(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(pollMicros)));
        verbs = new BareVerbPeer(
                "tcp://127.0.0.1:" + server.port(),
                "micro",
                Tuning.DEFAULTS.with(Map.of("poll-micros", String.valueOf(pollMicros))));
    }

    /** Stops them. */
    @TearDown
    public void stop() {
        verbs.close();
        server.close();
        memoryNode.close();
    }

    /** One READ of one word. */
    @Benchmark
    public void read() {
        verbs.lock("lock", LockMode.READ);
    }
}
