// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.micro;

import io.declock.ComputeNodeSettings;
import io.declock.KeepSettings;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.benchmarks.server.LocalMemoryNode;
import io.declock.internal.node.ComputeNode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
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

/**
 * The whole path of an uncontended acquisition and release without a network: the cost of the library itself, for a lock that is taken at its
 * memory node each time and for one that is kept.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
@SuppressWarnings({"NullAway.Init", "LockNotBeforeTry"}) // No code runs while the locks are held.
public class InProcessLockBenchmark {
    private static final LockOwner OWNER = LockOwner.named("owner");

    /** Whether the compute node keeps the lock. */
    @Param({"false", "true"})
    private boolean keep;

    private LocalMemoryNode memoryNode;
    private ComputeNode node;
    private Lock write;
    private Lock read;
    private Lock held;

    /** Starts a memory node and a compute node in this JVM. */
    @Setup
    public void start() throws InterruptedException {
        memoryNode = LocalMemoryNode.small();
        node = memoryNode.startComputeNode(ComputeNodeSettings.builder()
                .keep(KeepSettings.builder().enabled(keep).build())
                .build());
        write = node.lock("write").writeLock();
        read = node.lock("read").readLock();
        held = node.lock("held").writeLock();
    }

    /** Stops them. */
    @TearDown
    public void stop() {
        node.close();
        memoryNode.close();
    }

    /** A write lock through its {@code java.util.concurrent} view. */
    @Benchmark
    public void writeLock() {
        write.lock();
        write.unlock();
    }

    /** A read lock through its {@code java.util.concurrent} view. */
    @Benchmark
    public void readLock() {
        read.lock();
        read.unlock();
    }

    /** A write lock with a handle. */
    @Benchmark
    public long handle() throws InterruptedException {
        try (LockHandle handle = node.acquire(LockRequest.write("handle"))) {
            return handle.fencingToken();
        }
    }

    /** A write lock that comes with a stage. */
    @Benchmark
    public long stage() {
        try (LockHandle handle = node.acquireAsync(LockRequest.write("stage"), OWNER)
                .toCompletableFuture()
                .join()) {
            return handle.fencingToken();
        }
    }

    /** An acquisition by a thread that holds the lock already. */
    @Benchmark
    public void reentrant(Holding holding) {
        held.lock();
        held.unlock();
    }

    /** Holds the lock while the benchmark runs, on the benchmark's thread. */
    @State(Scope.Thread)
    public static class Holding {
        /** Acquires the lock. */
        @Setup
        public void take(InProcessLockBenchmark benchmark) {
            benchmark.held.lock();
        }

        /** Releases the lock. */
        @TearDown
        public void giveBack(InProcessLockBenchmark benchmark) {
            benchmark.held.unlock();
        }
    }
}
