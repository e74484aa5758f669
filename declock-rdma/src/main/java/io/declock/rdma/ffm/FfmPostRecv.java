// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import io.declock.rdma.verbs.ReceiveRequests;
import java.io.IOException;
import java.util.List;

/** DiSNI's reusable call of ibv_post_recv(3), with one element per request. Not thread-safe. */
final class FfmPostRecv extends SVCPostRecv {
    private final FfmQp qp;
    private final List<IbvRecvWR> list;
    private final ReceiveRequests requests;
    private boolean valid = true;

    FfmPostRecv(FfmQp qp, List<IbvRecvWR> list) throws IOException {
        for (IbvRecvWR request : list) {
            if (request.getSg_list().size() != 1) {
                throw new IOException("a receive request must have exactly one element");
            }
        }
        this.qp = qp;
        this.list = List.copyOf(list);
        this.requests = new ReceiveRequests(list.size());
    }

    @Override
    public SVCPostRecv execute() throws IOException {
        for (int i = 0; i < list.size(); i++) {
            IbvSge element = list.get(i).getSg_list().getFirst();
            requests.fill(i, list.get(i).getWr_id(), element.getAddr(), element.getLength(), element.getLkey());
            if (i > 0) {
                requests.link(i - 1, i);
            }
        }
        int errno = qp.postRecv(requests.address(0));
        if (errno != 0) {
            throw new NativeCallException("ibv_post_recv", Math.abs(errno));
        }
        return this;
    }

    @Override
    public RecvWRMod getWrMod(int index) throws IOException {
        throw new IOException("change the request itself; it is written again at each execution");
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public SVCPostRecv free() {
        valid = false;
        requests.close();
        return this;
    }
}
