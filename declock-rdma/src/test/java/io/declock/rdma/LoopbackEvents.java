// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.rdma.ManagerRig.TestId;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.ConnectionParameters;
import java.net.InetSocketAddress;

/** Connects what connects to itself: the other end comes as a request to the only listener. */
final class LoopbackEvents extends ManagerRig.Events {
    private volatile RdmaCmId active;

    LoopbackEvents() {
        accepting = true;
    }

    @Override
    public void resolveAddress(RdmaCmId id, InetSocketAddress source, InetSocketAddress target, int timeoutMillis) {
        outcomes.add(() -> ManagerRig.event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, id));
        outcomes.add(() -> ManagerRig.event(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, id));
    }

    @Override
    public void connect(RdmaCmId id, ConnectionParameters parameters) {
        super.connect(id, parameters);
        active = id;
        ManagerRig.Channel channel = (ManagerRig.Channel) id.getCmChannel();
        outcomes.add(() -> new CmEvent(
                EventType.RDMA_CM_EVENT_CONNECT_REQUEST,
                0,
                new TestId(channel),
                channel.ids.get(0),
                parameters.privateData()));
    }

    @Override
    public void accept(RdmaCmId id, ConnectionParameters parameters) {
        super.accept(id, parameters);
        RdmaCmId other = active;
        active = null;
        outcomes.add(() -> ManagerRig.event(EventType.RDMA_CM_EVENT_ESTABLISHED, id));
        if (other != null) {
            outcomes.add(
                    () -> new CmEvent(EventType.RDMA_CM_EVENT_ESTABLISHED, 0, other, null, parameters.privateData()));
        }
    }
}
