// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.SendRequests;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the binding costs without a device: writing a request, and the way through a context's function pointers. The pointers lead
 * back into this JVM, so each call contains an upcall, which costs more than the call itself; a device's function costs what it does.
 *
 * <p>Run after {@code ./mvnw -pl declock-rdma -am -DskipTests package}: {@code java --enable-native-access=ALL-UNNAMED -cp
 * target/test-classes:target/classes:$(cat target/laboratory/libraries) org.openjdk.jmh.Main VerbBenchmark -prof gc}, in {@code
 * declock-rdma}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class VerbBenchmark {
    private StubDevice device;
    private SendRequests requests;
    private Completions completions;
    private long id;

    /** Makes the stub. */
    @Setup
    public void start() throws IOException {
        device = new StubDevice();
        requests = new SendRequests(2);
        completions = new Completions(16);
    }

    /** Releases it. */
    @TearDown
    public void stop() {
        device.close();
        requests.close();
        completions.close();
    }

    /** Writing alone: an FAA and the READ behind it. */
    @Benchmark
    public long writeChain() {
        requests.header(0, id++, Constants.IBV_WR_ATOMIC_FETCH_AND_ADD, 0);
        requests.atomic(0, 0x1000, 0x42, 1, 0);
        requests.local(0, 0x2000, 8, 0x11);
        requests.header(1, id, Constants.IBV_WR_RDMA_READ, Constants.IBV_SEND_FENCE | Constants.IBV_SEND_SIGNALED);
        requests.remote(1, 0x1008, 0x42);
        requests.local(1, 0x3000, 80, 0x11);
        requests.link(0, 1);
        return requests.address(0);
    }

    /** A post of what was written before: one call with an upcall. */
    @Benchmark
    public int post() {
        return device.post(requests.address(0));
    }

    /** A post and the poll that finds its completion: two calls, each with an upcall. */
    @Benchmark
    public int postAndPoll() {
        device.post(writeChain());
        return device.poll(16, completions.address());
    }

    /** A poll that finds nothing: one call with an upcall. */
    @Benchmark
    public int pollEmpty() {
        return device.poll(16, completions.address());
    }
}
