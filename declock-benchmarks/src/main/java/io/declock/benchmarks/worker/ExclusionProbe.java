// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A counter per lock name in a file that all workers have mapped. Writers add to it without any atomic operation, so two writers at once
 * lose counts, which exposes a lock that does not exclude. Each counter must only be accessed under its lock.
 */
public final class ExclusionProbe {
    private final MappedByteBuffer counters;
    private final int names;

    private ExclusionProbe(MappedByteBuffer counters, int names) {
        this.counters = counters;
        this.names = names;
        this.counters.order(ByteOrder.nativeOrder());
    }

    /** Opens the file, and makes it if it does not exist. */
    public static ExclusionProbe open(Path file, int names) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new ExclusionProbe(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) names * Long.BYTES), names);
        }
    }

    long read(int name) {
        return counters.getLong(name * Long.BYTES);
    }

    void write(int name, long value) {
        counters.putLong(name * Long.BYTES, value);
    }

    /** Returns the sum of all counters. */
    public long sum() {
        long sum = 0;
        for (int i = 0; i < names; i++) {
            sum += read(i);
        }
        return sum;
    }
}
