// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import java.lang.foreign.StructLayout;

/**
 * An array of {@code struct ibv_send_wr}, each with one {@code struct ibv_sge} of its own, written in place; see ibv_post_send(3).
 * Writing allocates nothing. Not thread-safe.
 */
public final class SendRequests implements AutoCloseable {
    private static final StructLayout WR = Layouts.IBV_SEND_WR;
    private static final int WR_ID = StructArray.longField(WR, "wr_id");
    private static final int NEXT = StructArray.longField(WR, "next");
    private static final int SG_LIST = StructArray.longField(WR, "sg_list");
    private static final int NUM_SGE = StructArray.intField(WR, "num_sge");
    private static final int OPCODE = StructArray.intField(WR, "opcode");
    private static final int SEND_FLAGS = StructArray.intField(WR, "send_flags");
    private static final int REMOTE_ADDR = StructArray.longField(WR, "remote_addr");
    private static final int COMPARE_ADD = StructArray.longField(WR, "compare_add");
    private static final int SWAP = StructArray.longField(WR, "swap");
    private static final int ATOMIC_RKEY = StructArray.intField(WR, "rkey");

    /** {@code wr.rdma.rkey}: in the union it has the offset of an atomic's first operand. */
    private static final int RDMA_RKEY = StructArray.intField(WR, "compare_add");

    private static final StructLayout SGE = Layouts.IBV_SGE;
    private static final int ADDR = StructArray.longField(SGE, "addr");
    private static final int LENGTH = StructArray.intField(SGE, "length");
    private static final int LKEY = StructArray.intField(SGE, "lkey");

    private final StructArray requests;
    private final StructArray elements;

    /** Makes that many requests, each with one element. */
    public SendRequests(int count) {
        requests = new StructArray(WR, count);
        elements = new StructArray(SGE, count);
        for (int i = 0; i < count; i++) {
            requests.setLong(i, SG_LIST, elements.address(i));
            requests.setInt(i, NUM_SGE, 1);
        }
    }

    /** Returns the address of a request. */
    public long address(int i) {
        return requests.address(i);
    }

    /** Sets the fields that every request has. */
    public void header(int i, long id, int opcode, int flags) {
        requests.setLong(i, WR_ID, id);
        requests.setLong(i, NEXT, 0);
        requests.setInt(i, OPCODE, opcode);
        requests.setInt(i, SEND_FLAGS, flags);
    }

    /** Links request {@code i} to the next one. */
    public void link(int i, int next) {
        requests.setLong(i, NEXT, requests.address(next));
    }

    /** Changes the length of the local memory only. */
    public void length(int i, int length) {
        elements.setInt(i, LENGTH, length);
    }

    /** Sets the local memory. */
    public void local(int i, long address, int length, int key) {
        elements.setLong(i, ADDR, address);
        elements.setInt(i, LENGTH, length);
        elements.setInt(i, LKEY, key);
    }

    /** Sets the remote memory of a READ or WRITE. */
    public void remote(int i, long address, int key) {
        requests.setLong(i, REMOTE_ADDR, address);
        requests.setInt(i, RDMA_RKEY, key);
    }

    /** Sets remote memory and operands of an atomic. */
    public void atomic(int i, long address, int key, long compareOrAdd, long swap) {
        requests.setLong(i, REMOTE_ADDR, address);
        requests.setLong(i, COMPARE_ADD, compareOrAdd);
        requests.setLong(i, SWAP, swap);
        requests.setInt(i, ATOMIC_RKEY, key);
    }

    /** Changes remote memory and operand of an atomic only. */
    public void operand(int i, long address, long compareOrAdd) {
        requests.setLong(i, REMOTE_ADDR, address);
        requests.setLong(i, COMPARE_ADD, compareOrAdd);
    }

    @Override
    public void close() {
        requests.close();
        elements.close();
    }
}
