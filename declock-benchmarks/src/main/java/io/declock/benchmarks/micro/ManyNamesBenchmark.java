// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.micro;

import io.declock.ComputeNodeSettings;
import io.declock.benchmarks.server.LocalMemoryNode;
import io.declock.internal.node.ComputeNode;
import java.util.Random;
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
 * An uncontended acquisition and release of one of many locks in random order, without a network: what a lock costs whose state has left the
 * processor's cache.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 3, time = 5)
@Fork(1)
@SuppressWarnings({"NullAway.Init", "LockNotBeforeTry"}) // No code runs while the locks are held.
public class ManyNamesBenchmark {
    private static final int ORDER = 1 << 20;

    /** How many locks. */
    @Param({"100", "100000"})
    private int names;

    private LocalMemoryNode memoryNode;
    private ComputeNode node;
    private Lock[] order;
    private int next;

    /** Starts a memory node and a compute node in this JVM, and uses each lock once. */
    @Setup
    public void start() throws InterruptedException {
        memoryNode = LocalMemoryNode.small(names * 2);
        node = memoryNode.startComputeNode(
                ComputeNodeSettings.builder().maxIdleLocks(names * 2).build());
        Lock[] locks = new Lock[names];
        for (int i = 0; i < names; i++) {
            locks[i] = node.lock("lock:" + i).writeLock();
            locks[i].lock();
            locks[i].unlock();
        }
        Random random = new Random(1);
        order = new Lock[ORDER];
        for (int i = 0; i < ORDER; i++) {
            order[i] = locks[random.nextInt(names)];
        }
    }

    /** Stops them. */
    @TearDown
    public void stop() {
        node.close();
        memoryNode.close();
    }

    /** A write lock. */
    @Benchmark
    public void writeLock() {
        Lock lock = order[next++ & ORDER - 1];
        lock.lock();
        lock.unlock();
    }
}
