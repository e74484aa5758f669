// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** An array of {@code struct ibv_recv_wr}, each with one {@code struct ibv_sge}; see ibv_post_recv(3). Not thread-safe. */
public final class ReceiveRequests implements AutoCloseable {
    private static final StructLayout WR = Layouts.IBV_RECV_WR;
    private static final StructLayout SGE = Layouts.IBV_SGE;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment requests;
    private final MemorySegment elements;

    /** Makes that many requests. */
    public ReceiveRequests(int count) {
        requests = arena.allocate(WR, count);
        elements = arena.allocate(SGE, count);
        for (int i = 0; i < count; i++) {
            long at = i * WR.byteSize();
            requests.set(JAVA_LONG, at + Layouts.offset(WR, "sg_list"), elements.address() + i * SGE.byteSize());
            requests.set(JAVA_INT, at + Layouts.offset(WR, "num_sge"), 1);
        }
    }

    /** Fills a request: its id and where what is received goes. */
    public void fill(int i, long id, long address, int length, int key) {
        requests.set(JAVA_LONG, i * WR.byteSize() + Layouts.offset(WR, "wr_id"), id);
        long at = i * SGE.byteSize();
        elements.set(JAVA_LONG, at + Layouts.offset(SGE, "addr"), address);
        elements.set(JAVA_INT, at + Layouts.offset(SGE, "length"), length);
        elements.set(JAVA_INT, at + Layouts.offset(SGE, "lkey"), key);
    }

    /** Makes a request the one after another. */
    public void link(int i, int next) {
        requests.set(JAVA_LONG, i * WR.byteSize() + Layouts.offset(WR, "next"), address(next));
    }

    /** Returns where a request lies. */
    public long address(int i) {
        return requests.address() + i * WR.byteSize();
    }

    @Override
    public void close() {
        arena.close();
    }
}
