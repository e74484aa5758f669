// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.rdma.ManagerRig.Context;
import io.declock.rdma.ManagerRig.TestId;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.RecordingListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node with two adapters: their atomics are not atomic against each other, so all connections must come to one of them. */
@Timeout(60)
class OtherAdapterTest {
    private final Loopback backend = new Loopback();
    private ManagerRig rig;
    private MemoryNode node;
    private RdmaServer server;

    /** Connects what connects to itself: the other end comes as a request to the only listener. */
    private static final class Loopback extends ManagerRig.Events {
        private volatile RdmaCmId active;

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
                outcomes.add(() ->
                        new CmEvent(EventType.RDMA_CM_EVENT_ESTABLISHED, 0, other, null, parameters.privateData()));
            }
        }
    }

    @BeforeEach
    void start() throws Exception {
        backend.accepting = true;
        rig = new ManagerRig(backend);
        ManualTime time = new ManualTime();
        RdmaMemory memory = new RdmaMemory();
        node = MemoryNode.create(
                MemoryNodeSettings.builder("mn-1")
                        .records(64)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                time,
                time,
                () -> ThreadLocalRandom.current().nextLong(),
                memory);
        server = new RdmaServer(node, memory, rig.manager, 0);
    }

    @AfterEach
    void stop() {
        node.close();
        server.close();
    }

    private byte[] token(long process) throws Exception {
        JoinRequest request =
                new JoinRequest(process, 1, "test", "", 0, Duration.ofSeconds(3).toNanos());
        CompletableFuture<RdmaOffer> offer = new CompletableFuture<>();
        server.offer(node.join(request, new RecordingListener()), offer::complete, offer::completeExceptionally);
        return offer.get(10, TimeUnit.SECONDS).token();
    }

    private Context adapter(String name) throws IOException {
        Context context = new Context(name, backend.log);
        rig.channel.context = context;
        return context;
    }

    @Test
    void aConnectionThatComesToAnotherAdapterIsRejected() throws Exception {
        assertThat(server.isHealthy()).isTrue();
        Context first = rig.channel.context;
        int before = backend.accepts.size();

        adapter("another");
        TestId strange = rig.request(Greetings.toMemoryNode(token(1)));
        await().atMost(ManagerRig.PATIENCE).until(() -> strange.destroyed);
        assertThat(backend.accepts).hasSize(before);
        assertThat(backend.rejections)
                .singleElement()
                .asString()
                .contains("executes verbs on RDMA device adapter", "device another");

        rig.channel.context = first;
        TestId right = rig.request(Greetings.toMemoryNode(token(2)));
        await().atMost(ManagerRig.PATIENCE).until(() -> backend.accepts.size() == before + 1);
        assertThat(right.destroyed).isFalse();
        assertThat(backend.rejections).hasSize(1);
    }
}
