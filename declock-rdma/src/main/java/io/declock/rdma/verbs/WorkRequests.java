// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import java.lang.foreign.StructLayout;

/**
 * An array of work requests, each with one {@code struct ibv_sge} of its own, written in place. Writing allocates nothing. Not thread-safe.
 */
public abstract sealed class WorkRequests implements AutoCloseable permits SendRequests, ReceiveRequests {
    // Send and receive requests begin with the same fields.
    static final int WR_ID = StructArray.longField(Layouts.IBV_RECV_WR, "wr_id");
    private static final int NEXT = StructArray.longField(Layouts.IBV_RECV_WR, "next");
    private static final int SG_LIST = StructArray.longField(Layouts.IBV_RECV_WR, "sg_list");
    private static final int NUM_SGE = StructArray.intField(Layouts.IBV_RECV_WR, "num_sge");

    private static final StructLayout SGE = Layouts.IBV_SGE;
    private static final int ADDR = StructArray.longField(SGE, "addr");
    private static final int LENGTH = StructArray.intField(SGE, "length");
    private static final int LKEY = StructArray.intField(SGE, "lkey");

    final StructArray requests;
    private final StructArray elements;

    WorkRequests(StructLayout layout, int count) {
        requests = new StructArray(layout, count);
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

    /** Links request {@code i} to the next one. */
    public void link(int i, int next) {
        requests.setLong(i, NEXT, requests.address(next));
    }

    /** Makes request {@code i} the last one of its chain. */
    void unlink(int i) {
        requests.setLong(i, NEXT, 0);
    }

    /** Sets the local memory. */
    public void local(int i, long address, int length, int key) {
        elements.setLong(i, ADDR, address);
        elements.setInt(i, LENGTH, length);
        elements.setInt(i, LKEY, key);
    }

    /** Changes the length of the local memory only. */
    public void length(int i, int length) {
        elements.setInt(i, LENGTH, length);
    }

    @Override
    public void close() {
        requests.close();
        elements.close();
    }
}
