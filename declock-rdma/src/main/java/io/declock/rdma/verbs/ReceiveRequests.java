// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import java.lang.foreign.StructLayout;

/** An array of {@code struct ibv_recv_wr}, each with one {@code struct ibv_sge}; see ibv_post_recv(3). Not thread-safe. */
public final class ReceiveRequests implements AutoCloseable {
    private static final StructLayout WR = Layouts.IBV_RECV_WR;
    private static final int WR_ID = StructArray.longField(WR, "wr_id");
    private static final int NEXT = StructArray.longField(WR, "next");
    private static final int SG_LIST = StructArray.longField(WR, "sg_list");
    private static final int NUM_SGE = StructArray.intField(WR, "num_sge");

    private static final StructLayout SGE = Layouts.IBV_SGE;
    private static final int ADDR = StructArray.longField(SGE, "addr");
    private static final int LENGTH = StructArray.intField(SGE, "length");
    private static final int LKEY = StructArray.intField(SGE, "lkey");

    private final StructArray requests;
    private final StructArray elements;

    /** Makes that many requests. */
    public ReceiveRequests(int count) {
        requests = new StructArray(WR, count);
        elements = new StructArray(SGE, count);
        for (int i = 0; i < count; i++) {
            requests.setLong(i, SG_LIST, elements.address(i));
            requests.setInt(i, NUM_SGE, 1);
        }
    }

    /** Fills a request: its id and the buffer for the received message. */
    public void fill(int i, long id, long address, int length, int key) {
        requests.setLong(i, WR_ID, id);
        elements.setLong(i, ADDR, address);
        elements.setInt(i, LENGTH, length);
        elements.setInt(i, LKEY, key);
    }

    /** Links request {@code i} to the next one. */
    public void link(int i, int next) {
        requests.setLong(i, NEXT, requests.address(next));
    }

    /** Returns the address of a request. */
    public long address(int i) {
        return requests.address(i);
    }

    @Override
    public void close() {
        requests.close();
        elements.close();
    }
}
