// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** An array of {@code struct ibv_wc} to poll into, see ibv_poll_cq(3). Not thread-safe. */
public final class Completions implements AutoCloseable {
    private static final StructLayout LAYOUT = Layouts.IBV_WC;
    private static final long SIZE = LAYOUT.byteSize();
    private static final long WR_ID = Layouts.offset(LAYOUT, "wr_id");
    private static final long STATUS = Layouts.offset(LAYOUT, "status");
    private static final long OPCODE = Layouts.offset(LAYOUT, "opcode");
    private static final long BYTE_LEN = Layouts.offset(LAYOUT, "byte_len");
    private static final long QP_NUM = Layouts.offset(LAYOUT, "qp_num");

    private final Arena arena = Arena.ofShared();
    private final MemorySegment array;
    private final int capacity;

    /** Makes room for so many. */
    public Completions(int capacity) {
        this.capacity = capacity;
        this.array = arena.allocate(LAYOUT, capacity);
    }

    /** Returns for how many there is room. */
    public int capacity() {
        return capacity;
    }

    /** Returns where the array lies. */
    public long address() {
        return array.address();
    }

    /** Returns the id of the request that completed. */
    public long id(int i) {
        return array.get(JAVA_LONG, i * SIZE + WR_ID);
    }

    /** Returns how it went, see ibv_wc_status_str(3). */
    public int status(int i) {
        return array.get(JAVA_INT, i * SIZE + STATUS);
    }

    /** Returns what completed; valid if the status is success. */
    public int opcode(int i) {
        return array.get(JAVA_INT, i * SIZE + OPCODE);
    }

    /** Returns how many bytes were received. */
    public int bytes(int i) {
        return array.get(JAVA_INT, i * SIZE + BYTE_LEN);
    }

    /** Returns the number of the queue pair. */
    public int queuePair(int i) {
        return array.get(JAVA_INT, i * SIZE + QP_NUM);
    }

    @Override
    public void close() {
        arena.close();
    }
}
