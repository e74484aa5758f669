// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;

/**
 * An array of structs in off-heap memory, whose fields are read and written in place, without allocation.
 *
 * <p>Access is through buffers, which check bounds and the memory's lifetime as a segment does, but with less code: code that every verb
 * executes must leave the JIT room to inline the code after it.
 *
 * <p>As thread-safe as plain memory.
 */
final class StructArray implements AutoCloseable {
    private final StructLayout layout;
    private final Arena arena = Arena.ofShared();
    private final long address;
    private final LongBuffer longs;
    private final IntBuffer ints;
    private final int strideLongs;
    private final int strideInts;

    /** Makes that many structs, all zero. */
    StructArray(StructLayout layout, int count) {
        this.layout = layout;
        MemorySegment memory = arena.allocate(layout, count);
        this.address = memory.address();
        ByteBuffer bytes = memory.asByteBuffer().order(ByteOrder.nativeOrder());
        this.longs = bytes.asLongBuffer();
        this.ints = bytes.asIntBuffer();
        this.strideLongs = Math.toIntExact(layout.byteSize() / Long.BYTES);
        this.strideInts = Math.toIntExact(layout.byteSize() / Integer.BYTES);
    }

    /** Returns the index of an eight-byte field in each struct of that layout. */
    static int longField(StructLayout layout, String name) {
        return Math.toIntExact(Layouts.offset(layout, name) / Long.BYTES);
    }

    /** Returns the index of a four-byte field in each struct of that layout. */
    static int intField(StructLayout layout, String name) {
        return Math.toIntExact(Layouts.offset(layout, name) / Integer.BYTES);
    }

    /** Returns the address of struct {@code i}. */
    long address(int i) {
        return address + i * layout.byteSize();
    }

    void setLong(int i, int field, long value) {
        longs.put(i * strideLongs + field, value);
    }

    long getLong(int i, int field) {
        return longs.get(i * strideLongs + field);
    }

    void setInt(int i, int field, int value) {
        ints.put(i * strideInts + field, value);
    }

    int getInt(int i, int field) {
        return ints.get(i * strideInts + field);
    }

    @Override
    public void close() {
        arena.close();
    }
}
