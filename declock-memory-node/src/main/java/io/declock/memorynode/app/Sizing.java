// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.declock.internal.layout.RecordLayout;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * The number of lock records and their size.
 *
 * @param records number of lock records
 * @param layout layout of the words of a record
 */
record Sizing(int records, RecordLayout layout) {
    private static final int DEFAULT_RECORDS = 100_000;

    /** Calculates the sizing. */
    static Sizing of(MemoryNodeProperties properties) {
        RecordLayout layout = layout(properties.queueCapacity());
        return new Sizing(records(properties.memory(), properties.records(), layout), layout);
    }

    private static RecordLayout layout(int queueCapacity) {
        try {
            return new RecordLayout(queueCapacity);
        } catch (IllegalArgumentException e) {
            throw new MemoryNodeStartException(
                    "declock.memory-node.queue-capacity is " + queueCapacity + ".",
                    "Set it to a power of two from 2 to " + RecordLayout.MAX_CAPACITY
                            + ", at least the number of services that take locks here.",
                    e);
        }
    }

    private static int records(@Nullable DataSize memory, @Nullable Long records, RecordLayout layout) {
        if (memory != null && records != null) {
            throw new MemoryNodeStartException(
                    "declock.memory-node.memory and declock.memory-node.records are both set.",
                    "Set one of them: a lock record with a queue capacity of " + layout.capacity() + " takes "
                            + layout.strideBytes() + " bytes.");
        }
        if (memory != null) {
            return checked("declock.memory-node.memory is " + memory, memory.toBytes() / layout.strideBytes(), layout);
        }
        if (records != null) {
            return checked("declock.memory-node.records is " + records, records, layout);
        }
        return DEFAULT_RECORDS;
    }

    private static int checked(String setting, long records, RecordLayout layout) {
        if (records < 1) {
            throw new MemoryNodeStartException(
                    setting + ", which is too small for a single lock record of " + layout.strideBytes() + " bytes.",
                    "Give at least " + layout.strideBytes() + " bytes per lock name in use, or lower"
                            + " declock.memory-node.queue-capacity from " + layout.capacity() + ".");
        }
        if (records > Integer.MAX_VALUE) {
            throw new MemoryNodeStartException(
                    setting + ", which gives more lock records than one memory node can serve.",
                    "Lower it to at most " + Integer.MAX_VALUE + " records, and use several memory nodes for more.");
        }
        return (int) records;
    }

    /** Returns the size of all records together. */
    long bytes() {
        return (long) records * layout.strideBytes();
    }

    /** Fails at once if the JVM does not allow that much, instead of later, when the records no longer fit. */
    void requireDirectMemory(long regionBytes) {
        long limit = directMemoryLimit();
        if (regionBytes > limit) {
            throw new MemoryNodeStartException(
                    "The memory node is set to hold " + records + " lock records of " + layout.strideBytes()
                            + " bytes, "
                            + Texts.bytes(regionBytes) + " in all, and the JVM allows " + Texts.bytes(limit)
                            + " of direct memory.",
                    "Start it with -XX:MaxDirectMemorySize=" + (regionBytes / (1 << 20) + 64) + "m (for example in"
                            + " JAVA_TOOL_OPTIONS), or lower declock.memory-node.memory or declock.memory-node.records.");
        }
    }

    private static long directMemoryLimit() {
        HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long limit = jvm == null
                ? 0
                : Long.parseLong(jvm.getVMOption("MaxDirectMemorySize").getValue());
        return limit > 0 ? limit : Runtime.getRuntime().maxMemory();
    }
}
