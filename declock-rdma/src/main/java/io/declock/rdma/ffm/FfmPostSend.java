// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.SendRequests;
import java.io.IOException;
import java.util.List;

/**
 * DiSNI's reusable call of ibv_post_send(3), atomics included. Requests have one element each. To change a request between two
 * executions, change it in the list, whose requests are written again each time. Not thread-safe; the fabric itself posts {@link
 * SendRequests} without it.
 */
final class FfmPostSend extends SVCPostSend {
    private final FfmQp qp;
    private final List<IbvSendWR> list;
    private final SendRequests requests;
    private boolean valid = true;

    FfmPostSend(FfmQp qp, List<IbvSendWR> list) throws IOException {
        for (IbvSendWR request : list) {
            if (request.getNum_sge() != 1 && request.getSg_list().size() != 1) {
                throw new IOException("a send request must have exactly one element");
            }
        }
        this.qp = qp;
        this.list = List.copyOf(list);
        this.requests = new SendRequests(list.size());
    }

    @Override
    public SVCPostSend execute() throws IOException {
        for (int i = 0; i < list.size(); i++) {
            write(i, list.get(i));
            if (i > 0) {
                requests.link(i - 1, i);
            }
        }
        int errno = qp.postSend(requests.address(0));
        if (errno != 0) {
            throw new NativeCallException("ibv_post_send", Math.abs(errno));
        }
        return this;
    }

    private void write(int i, IbvSendWR request) {
        requests.header(i, request.getWr_id(), request.getOpcode(), request.getSend_flags());
        IbvSge element = request.getSg_list().getFirst();
        requests.local(i, element.getAddr(), element.getLength(), element.getLkey());
        switch (request.getOpcode()) {
            case Constants.IBV_WR_ATOMIC_CMP_AND_SWP, Constants.IBV_WR_ATOMIC_FETCH_AND_ADD -> {
                IbvSendWR.Atomic atomic = request.getAtomic();
                requests.atomic(
                        i, atomic.getRemote_addr(), atomic.getRkey(), atomic.getCompare_add(), atomic.getSwap());
            }
            default ->
                requests.remote(
                        i, request.getRdma().getRemote_addr(), request.getRdma().getRkey());
        }
    }

    @Override
    public SendWRMod getWrMod(int index) throws IOException {
        throw new IOException("change the request itself; it is written again at each execution");
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public SVCPostSend free() {
        valid = false;
        requests.close();
        return this;
    }
}
