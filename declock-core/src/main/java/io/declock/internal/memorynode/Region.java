// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.Verb;
import io.declock.spi.ExtendedAtomics;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The memory that one-sided verbs work on: off-heap segments of equal size, addressed as one range of bytes. A segment takes memory only
 * once {@link #ensureSegment} was called for it, so that a large region costs only the memory that is in use.
 *
 * <p>Thread-safe. Words are little-endian, 8-byte aligned and accessed atomically. Either the processor executes all verbs on a region, by
 * {@link #execute}, or an adapter does ({@link RegionMemory}). In the second case the methods below serve only the memory node's own loads,
 * and its stores to records that no compute node can address yet.
 */
public final class Region {
    /** Largest segment, as a power of two. */
    private static final int MAX_SEGMENT_SHIFT = 24;

    private static final int MIN_SEGMENT_SHIFT = 12;
    private static final int ALIGNMENT = 64;
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final int shift;
    private final int offsetMask;
    private final int recordsPerSegment;
    private final int stride;
    private final long sizeBytes;
    private final IntFunction<ByteBuffer> allocator;
    private final boolean executedHere;
    private final AtomicReferenceArray<@Nullable ByteBuffer> segments;
    private final WordPairs pairs = new WordPairs(this::read, this::compareAndSwap);

    private Region(int segments, int stride, int shift, IntFunction<ByteBuffer> allocator, boolean executedHere) {
        this.shift = shift;
        this.offsetMask = (1 << shift) - 1;
        this.stride = stride;
        this.recordsPerSegment = (1 << shift) / stride;
        this.sizeBytes = (long) segments << shift;
        this.allocator = allocator;
        this.executedHere = executedHere;
        this.segments = new AtomicReferenceArray<>(segments);
    }

    /**
     * Makes a region in direct buffers.
     *
     * @param records how many records must fit
     * @param strideBytes bytes from one record to the next; a multiple of 64
     */
    public static Region direct(long records, int strideBytes) {
        int shift = shiftFor(records, strideBytes);
        return new Region(
                segmentsFor(records, strideBytes, shift),
                strideBytes,
                shift,
                index -> allocateDirect(1 << shift),
                true);
    }

    /**
     * Makes a region in memory that an adapter can access; the adapter then executes every verb on it.
     *
     * @param records how many records must fit
     * @param strideBytes bytes from one record to the next; a multiple of 64
     */
    public static Region in(RegionMemory memory, long records, int strideBytes) {
        int shift = shiftFor(records, strideBytes);
        int segments = segmentsFor(records, strideBytes, shift);
        memory.reserve(segments, 1 << shift);
        return new Region(segments, strideBytes, shift, memory::segment, false);
    }

    private static int segmentsFor(long records, int stride, int shift) {
        int recordsPerSegment = (1 << shift) / stride;
        return Math.toIntExact((records + recordsPerSegment - 1) / recordsPerSegment);
    }

    private static int shiftFor(long records, int stride) {
        int shift = MIN_SEGMENT_SHIFT;
        while (shift < MAX_SEGMENT_SHIFT && (1L << shift) / stride < records) {
            shift++;
        }
        return shift;
    }

    private static ByteBuffer allocateDirect(int bytes) {
        return ByteBuffer.allocateDirect(bytes + ALIGNMENT).alignedSlice(ALIGNMENT);
    }

    /** Returns whether this process's processor, not an adapter, executes the verbs. */
    public boolean executedHere() {
        return executedHere;
    }

    /** Returns the size of the range of addresses in bytes. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** Returns how many bytes of memory the allocated segments take. */
    public long committedBytes() {
        long bytes = 0;
        for (int i = 0; i < segments.length(); i++) {
            bytes += segments.get(i) == null ? 0 : 1L << shift;
        }
        return bytes;
    }

    /** Returns the address of a record. Records never straddle segments. */
    public long recordAddress(int index) {
        return ((long) (index / recordsPerSegment) << shift) + (long) (index % recordsPerSegment) * stride;
    }

    /** Returns the index of the record that starts at the address, or -1 if no record starts there. */
    public int recordIndex(long address) {
        int offset = (int) address & offsetMask;
        if (address < 0 || address >= sizeBytes || offset % stride != 0 || offset / stride >= recordsPerSegment) {
            return -1;
        }
        return Math.toIntExact((address >>> shift) * recordsPerSegment + offset / stride);
    }

    /**
     * Makes sure that the segment of a record has its memory.
     *
     * @throws OutOfMemoryError if the JVM has none left
     */
    void ensureSegment(int recordIndex) {
        int segment = recordIndex / recordsPerSegment;
        if (segments.get(segment) == null) {
            // If two threads race, one buffer becomes garbage at once. Callers hold the allocator's lock, so this does
            // not happen in
            // practice.
            segments.compareAndSet(segment, null, allocator.apply(segment));
        }
    }

    /** Returns whether {@code words} words from {@code address} on are memory of this region, aligned and in one segment. */
    public boolean covers(long address, int words) {
        return address >= 0
                && address < sizeBytes
                && (address & Long.BYTES - 1) == 0
                && words > 0
                && words <= (1 << shift - 3)
                && ((int) address & offsetMask) + words * Long.BYTES <= 1 << shift
                && segments.getAcquire((int) (address >>> shift)) != null;
    }

    /** Returns whether a verb on {@code words} words from {@code address} on can be executed here. */
    public boolean covers(Verb verb, long address, int words) {
        return covers(address, words) && (!verb.isExtended() || (address & ExtendedAtomics.BYTES - 1) == 0);
    }

    /**
     * Executes a verb on one word. Nothing else executes verbs: whoever has a READ or WRITE of several words calls this for each, in the
     * order of its choice.
     *
     * @param operand the addend of an FAA, the expected value of a CAS, the word of a WRITE
     * @param desired the desired value of a CAS
     * @return the word that was there before, and 0 for a WRITE
     */
    public long execute(Verb verb, long address, long operand, long desired) {
        return switch (verb) {
            case FETCH_AND_ADD -> fetchAndAdd(address, operand);
            case COMPARE_AND_SWAP -> compareAndSwap(address, operand, desired);
            case READ -> read(address);
            case WRITE -> {
                write(address, operand);
                yield 0;
            }
            case MASKED_COMPARE_AND_SWAP, MASKED_FETCH_AND_ADD ->
                throw new IllegalArgumentException(verb + " works on two words");
        };
    }

    /**
     * Executes an extended atomic on the two words at an address.
     *
     * @param operands as {@link ExtendedAtomics} says
     * @param found gets the words that were there before
     */
    public void execute(Verb verb, long address, IntToLongFunction operands, LongConsumer found) {
        pairs.execute(verb, address, operands, found);
    }

    /** Adds to a word and returns its former value. */
    long fetchAndAdd(long address, long addend) {
        return (long) WORD.getAndAdd(segment(address), (int) address & offsetMask, addend);
    }

    /** Replaces a word if it has the expected value and returns its former value. */
    long compareAndSwap(long address, long expected, long desired) {
        return (long) WORD.compareAndExchange(segment(address), (int) address & offsetMask, expected, desired);
    }

    /** Returns a word. */
    public long read(long address) {
        return (long) WORD.getVolatile(segment(address), (int) address & offsetMask);
    }

    /** Stores a word. */
    void write(long address, long value) {
        // Volatile, not release: a later READ of the same chain must not take effect before this write.
        WORD.setVolatile(segment(address), (int) address & offsetMask, value);
    }

    private ByteBuffer segment(long address) {
        ByteBuffer segment =
                address < 0 || address >= sizeBytes ? null : segments.getAcquire((int) (address >>> shift));
        if (segment == null) {
            throw new IndexOutOfBoundsException("address " + address + " is outside the region");
        }
        return segment;
    }
}
