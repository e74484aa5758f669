// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.micro;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Packing and unpacking of the header and of queue entries. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class LayoutBenchmark {
    private final RecordLayout layout = new RecordLayout(64);
    private long header;
    private int index;
    private long epoch = 123_456;

    /** An acquisition's work on the header that its FAA returned. */
    @Benchmark
    public boolean header() {
        header += LockHeader.acquire(true) + LockHeader.release(true);
        return LockHeader.grants(header, true)
                && !LockHeader.isInReset(header)
                && LockHeader.tail(header) < layout.indexLimit();
    }

    /** A waiter's work to write its entry, and its predecessor's to read it. */
    @Benchmark
    public boolean entry() {
        index = index + 1 & 0xFFFFF;
        long entry = QueueEntry.pack(true, 17, 3, layout.version(index), epoch, index);
        return QueueEntry.isValid(entry, layout.version(index), epoch)
                && QueueEntry.isExclusive(entry)
                && QueueEntry.nodeId(entry) == 17;
    }
}
