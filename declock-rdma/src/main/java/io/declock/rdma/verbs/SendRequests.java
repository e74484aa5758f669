// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * An array of {@code struct ibv_send_wr}, each with one {@code struct ibv_sge} of its own, written in place; see ibv_post_send(3).
 * Writing allocates nothing. Not thread-safe.
 */
public final class SendRequests implements AutoCloseable {
    private static final StructLayout WR = Layouts.IBV_SEND_WR;
    private static final long WR_SIZE = WR.byteSize();
    private static final long WR_ID = Layouts.offset(WR, "wr_id");
    private static final long NEXT = Layouts.offset(WR, "next");
    private static final long SG_LIST = Layouts.offset(WR, "sg_list");
    private static final long NUM_SGE = Layouts.offset(WR, "num_sge");
    private static final long OPCODE = Layouts.offset(WR, "opcode");
    private static final long SEND_FLAGS = Layouts.offset(WR, "send_flags");
    private static final long REMOTE_ADDR = Layouts.offset(WR, "remote_addr");
    private static final long COMPARE_ADD = Layouts.offset(WR, "compare_add");
    private static final long SWAP = Layouts.offset(WR, "swap");
    private static final long ATOMIC_RKEY = Layouts.offset(WR, "rkey");

    /** {@code wr.rdma.rkey}: in the union it lies where an atomic has its first operand. */
    private static final long RDMA_RKEY = COMPARE_ADD;

    private static final StructLayout SGE = Layouts.IBV_SGE;
    private static final long SGE_SIZE = SGE.byteSize();
    private static final long ADDR = Layouts.offset(SGE, "addr");
    private static final long LENGTH = Layouts.offset(SGE, "length");
    private static final long LKEY = Layouts.offset(SGE, "lkey");

    private final Arena arena = Arena.ofShared();
    private final MemorySegment requests;
    private final MemorySegment elements;

    /** Makes that many requests, each with one element. */
    public SendRequests(int count) {
        requests = arena.allocate(WR, count);
        elements = arena.allocate(SGE, count);
        for (int i = 0; i < count; i++) {
            requests.set(JAVA_LONG, i * WR_SIZE + SG_LIST, elements.address() + i * SGE_SIZE);
            requests.set(JAVA_INT, i * WR_SIZE + NUM_SGE, 1);
        }
    }

    /** Returns where a request lies. */
    public long address(int i) {
        return requests.address() + i * WR_SIZE;
    }

    /** Sets what every request has. */
    public void header(int i, long id, int opcode, int flags) {
        long at = i * WR_SIZE;
        requests.set(JAVA_LONG, at + WR_ID, id);
        requests.set(JAVA_LONG, at + NEXT, 0);
        requests.set(JAVA_INT, at + OPCODE, opcode);
        requests.set(JAVA_INT, at + SEND_FLAGS, flags);
    }

    /** Makes a request the one after another. */
    public void link(int i, int next) {
        requests.set(JAVA_LONG, i * WR_SIZE + NEXT, address(next));
    }

    /** Changes the length of the local memory only. */
    public void length(int i, int length) {
        elements.set(JAVA_INT, i * SGE_SIZE + LENGTH, length);
    }

    /** Adds flags. */
    public void flag(int i, int flags) {
        long at = i * WR_SIZE + SEND_FLAGS;
        requests.set(JAVA_INT, at, requests.get(JAVA_INT, at) | flags);
    }

    /** Sets the local memory. */
    public void local(int i, long address, int length, int key) {
        long at = i * SGE_SIZE;
        elements.set(JAVA_LONG, at + ADDR, address);
        elements.set(JAVA_INT, at + LENGTH, length);
        elements.set(JAVA_INT, at + LKEY, key);
    }

    /** Sets the remote memory of a READ or WRITE. */
    public void remote(int i, long address, int key) {
        long at = i * WR_SIZE;
        requests.set(JAVA_LONG, at + REMOTE_ADDR, address);
        requests.set(JAVA_INT, at + RDMA_RKEY, key);
    }

    /** Sets remote memory and operands of an atomic. */
    public void atomic(int i, long address, int key, long compareOrAdd, long swap) {
        long at = i * WR_SIZE;
        requests.set(JAVA_LONG, at + REMOTE_ADDR, address);
        requests.set(JAVA_LONG, at + COMPARE_ADD, compareOrAdd);
        requests.set(JAVA_LONG, at + SWAP, swap);
        requests.set(JAVA_INT, at + ATOMIC_RKEY, key);
    }

    /** Returns the id of a request. */
    public long id(int i) {
        return requests.get(JAVA_LONG, i * WR_SIZE + WR_ID);
    }

    /** Returns the opcode of a request. */
    public int opcode(int i) {
        return requests.get(JAVA_INT, i * WR_SIZE + OPCODE);
    }

    /** Returns the flags of a request. */
    public int flags(int i) {
        return requests.get(JAVA_INT, i * WR_SIZE + SEND_FLAGS);
    }

    @Override
    public void close() {
        arena.close();
    }
}
