// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

/** An array of {@code struct ibv_recv_wr}; see ibv_post_recv(3). Not thread-safe. */
public final class ReceiveRequests extends WorkRequests {
    /** Makes that many requests. */
    public ReceiveRequests(int count) {
        super(Layouts.IBV_RECV_WR, count);
    }

    /** Fills a request: its id and the buffer for the received message. */
    public void fill(int i, long id, long address, int length, int key) {
        requests.setLong(i, WR_ID, id);
        local(i, address, length, key);
    }
}
