// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import java.lang.foreign.StructLayout;

/** An array of {@code struct ibv_send_wr}; see ibv_post_send(3). Not thread-safe. */
public final class SendRequests extends WorkRequests {
    private static final StructLayout WR = Layouts.IBV_SEND_WR;
    private static final int OPCODE = StructArray.intField(WR, "opcode");
    private static final int SEND_FLAGS = StructArray.intField(WR, "send_flags");
    private static final int REMOTE_ADDR = StructArray.longField(WR, "remote_addr");
    private static final int COMPARE_ADD = StructArray.longField(WR, "compare_add");
    private static final int SWAP = StructArray.longField(WR, "swap");
    private static final int ATOMIC_RKEY = StructArray.intField(WR, "rkey");

    /** {@code wr.rdma.rkey}: in the union it has the offset of an atomic's first operand. */
    private static final int RDMA_RKEY = StructArray.intField(WR, "compare_add");

    /** Makes that many requests. */
    public SendRequests(int count) {
        super(WR, count);
    }

    /** Sets the fields that every request has. */
    public void header(int i, long id, int opcode, int flags) {
        requests.setLong(i, WR_ID, id);
        unlink(i);
        requests.setInt(i, OPCODE, opcode);
        requests.setInt(i, SEND_FLAGS, flags);
    }

    /** Sets the remote memory of a READ or WRITE. */
    public void remote(int i, long address, int key) {
        requests.setLong(i, REMOTE_ADDR, address);
        requests.setInt(i, RDMA_RKEY, key);
    }

    /** Sets remote memory and operands of an atomic. */
    public void atomic(int i, long address, int key, long compareOrAdd, long swap) {
        operand(i, address, compareOrAdd);
        requests.setLong(i, SWAP, swap);
        requests.setInt(i, ATOMIC_RKEY, key);
    }

    /** Changes remote memory and operand of an atomic only. */
    public void operand(int i, long address, long compareOrAdd) {
        requests.setLong(i, REMOTE_ADDR, address);
        requests.setLong(i, COMPARE_ADD, compareOrAdd);
    }
}
