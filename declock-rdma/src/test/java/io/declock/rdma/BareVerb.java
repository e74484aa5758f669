// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.SendRequests;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/**
 * The binding alone: one fetch-and-add after the other, written, posted and polled for on the calling thread, without the ring of
 * chains, the completion thread and everything above. It adds zero to the last word of a memory node's region. Not thread-safe.
 */
public final class BareVerb implements AutoCloseable {
    private static final int SECONDS = 20;

    private final VerbsBackend backend = Providers.provider("ffm");
    private final Arena arena = Arena.ofShared();
    private final MemorySegment result = arena.allocate(Long.BYTES, Long.BYTES);
    private final SendRequests request = new SendRequests(1);
    private final Completions completion = new Completions(1);
    private final RdmaEventChannel channel;
    private final RdmaCmId id;
    private final IbvPd pd;
    private final IbvCQ cq;
    private final IbvQP qp;
    private final IbvMr registration;
    private final RegionGrant grant;
    private long sequence;

    /** Connects by the offer that a memory node made to a session. */
    public BareVerb(String host, RdmaOffer offer) throws Exception {
        channel = RdmaEventChannel.createEventChannel();
        id = channel.createId((short) Constants.RDMA_PS_TCP);
        backend.resolveAddress(id, null, new InetSocketAddress(host, offer.port()), SECONDS * 1000);
        await(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        pd = id.getVerbs().allocPd();
        cq = withoutChannel();
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.setSend_cq(cq);
        attributes.setRecv_cq(cq);
        attributes.setQp_type((byte) Constants.IBV_QPT_RC);
        attributes.cap().setMax_send_wr(4);
        attributes.cap().setMax_recv_wr(1);
        attributes.cap().setMax_send_sge(1);
        attributes.cap().setMax_recv_sge(1);
        qp = id.createQP(pd, attributes);
        registration = backend.register(pd, result.address(), result.byteSize(), Constants.IBV_ACCESS_LOCAL_WRITE);
        id.resolveRoute(SECONDS * 1000);
        await(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        backend.connect(id, new ConnectionParameters(Greetings.toMemoryNode(offer.token()), 1, 1, 3, 6));
        grant = Greetings.readGrant(await(EventType.RDMA_CM_EVENT_ESTABLISHED).privateData());
    }

    private IbvCQ withoutChannel() throws IOException {
        return id.getVerbs().createCQ(null, 4, 0);
    }

    private CmEvent await(EventType expected) throws IOException {
        CmEvent event = backend.awaitCmEvent(channel, SECONDS * 1000);
        if (event == null || event.type() != expected) {
            throw new IOException("no " + expected + " but " + (event == null ? "nothing" : event.describe()));
        }
        return event;
    }

    /** Executes one, and polls until it has completed. */
    public void fetchAndAdd() {
        request.header(0, sequence, Constants.IBV_WR_ATOMIC_FETCH_AND_ADD, Constants.IBV_SEND_SIGNALED);
        request.local(0, result.address(), Long.BYTES, registration.getLkey());
        request.atomic(0, grant.address() + grant.length() - Long.BYTES, grant.key(), 0, 0);
        int errno = backend.postSend(qp, request.address(0));
        int found = 0;
        while (errno == 0 && found == 0) {
            found = backend.pollCq(cq, 1, completion.address());
        }
        if (found != 1 || completion.status(0) != Constants.IBV_WC_SUCCESS || completion.id(0) != sequence) {
            throw new IllegalStateException("a verb failed: errno " + errno + ", status " + completion.status(0));
        }
        sequence++;
    }

    @Override
    public void close() throws Exception {
        id.disconnect();
        id.destroyQP();
        cq.destroyCQ();
        registration.deregMr().execute().free();
        pd.deallocPd();
        id.destroyId();
        channel.destroyEventChannel();
        arena.close();
        request.close();
        completion.close();
    }
}
