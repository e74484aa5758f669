// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import java.lang.foreign.StructLayout;

/** An array of {@code struct ibv_wc} to poll into, see ibv_poll_cq(3). Not thread-safe. */
public final class Completions implements AutoCloseable {
    private static final StructLayout WC = Layouts.IBV_WC;
    private static final int WR_ID = StructArray.longField(WC, "wr_id");
    private static final int STATUS = StructArray.intField(WC, "status");
    private static final int OPCODE = StructArray.intField(WC, "opcode");
    private static final int BYTE_LEN = StructArray.intField(WC, "byte_len");
    private static final int QP_NUM = StructArray.intField(WC, "qp_num");

    private final StructArray completions;
    private final int capacity;

    /** Makes an array for that many completions. */
    public Completions(int capacity) {
        this.capacity = capacity;
        this.completions = new StructArray(WC, capacity);
    }

    /** Returns the number of completions that fit. */
    public int capacity() {
        return capacity;
    }

    /** Returns the address of the array. */
    public long address() {
        return completions.address(0);
    }

    /** Returns the id of the request that completed. */
    public long id(int i) {
        return completions.getLong(i, WR_ID);
    }

    /** Returns the status, see ibv_wc_status_str(3). */
    public int status(int i) {
        return completions.getInt(i, STATUS);
    }

    /** Returns the opcode; valid if the status is success. */
    public int opcode(int i) {
        return completions.getInt(i, OPCODE);
    }

    /** Returns the number of bytes received. */
    public int bytes(int i) {
        return completions.getInt(i, BYTE_LEN);
    }

    /** Returns the number of the queue pair. */
    public int queuePair(int i) {
        return completions.getInt(i, QP_NUM);
    }

    @Override
    public void close() {
        completions.close();
    }
}
