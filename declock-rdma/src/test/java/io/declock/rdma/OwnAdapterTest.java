// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.Purpose;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.Layouts;
import io.declock.spi.TestChain;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The adapter that executes a memory node's own chains, without a device. */
@Timeout(60)
class OwnAdapterTest {
    private static final RegionGrant GRANT = new RegionGrant(0x10000, 4096, 0x42);
    private static final byte[] TOKEN = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final Loopback backend = new Loopback();
    private ManagerRig rig;

    /** Answers a connection request with one event, and completes posted chains once it is told to. */
    private static final class Loopback extends ManagerRig.Events {
        private final AtomicInteger posted = new AtomicInteger();
        private int completed;
        volatile EventType answer = EventType.RDMA_CM_EVENT_ESTABLISHED;
        volatile byte[] privateData = Greetings.granting(GRANT);
        volatile boolean completing;

        @Override
        public void resolveAddress(RdmaCmId id, InetSocketAddress source, InetSocketAddress target, int timeoutMillis) {
            outcomes.add(() -> ManagerRig.event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, id));
            outcomes.add(() -> ManagerRig.event(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, id));
        }

        @Override
        public void connect(RdmaCmId id, ConnectionParameters parameters) {
            super.connect(id, parameters);
            outcomes.add(() -> new CmEvent(answer, 0, id, null, privateData));
        }

        @Override
        public int postSend(IbvQP qp, long workRequest) {
            int result = super.postSend(qp, workRequest);
            posted.incrementAndGet();
            return result;
        }

        /** Chains take the slots in order from 0, and a completion's id is the slot. */
        @Override
        public int pollCq(IbvCQ cq, int entries, long completions) {
            if (!completing || completed == posted.get()) {
                return 0;
            }
            MemorySegment completion = MemorySegment.ofAddress(completions).reinterpret(Layouts.IBV_WC.byteSize());
            completion.set(JAVA_LONG, Layouts.offset(Layouts.IBV_WC, "wr_id"), completed++);
            completion.set(JAVA_INT, Layouts.offset(Layouts.IBV_WC, "status"), Constants.IBV_WC_SUCCESS);
            return 1;
        }
    }

    @BeforeEach
    void start() throws Exception {
        rig = new ManagerRig(backend);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    private OwnAdapter connect() throws IOException {
        return OwnAdapter.connect(rig.manager, TOKEN, new InetSocketAddress("127.0.0.1", 4711));
    }

    private static TestChain post(OwnAdapter adapter, long address) {
        TestChain chain = TestChain.forPurpose(Purpose.RELEASE);
        chain.fetchAndAdd(address, 5);
        adapter.post(chain);
        return chain;
    }

    @Test
    void chainsAreExecutedInTheGrantedRegion() throws Exception {
        OwnAdapter adapter = connect();
        assertThat(backend.connects).containsExactly(Greetings.toMemoryNode(TOKEN));

        TestChain first = post(adapter, 64);
        TestChain second = post(adapter, 72);
        RecordingBackend.Request request = backend.posts.get(0).get(0);
        assertThat(request.remote()).isEqualTo(GRANT.address() + 64);
        assertThat(request.key()).isEqualTo(GRANT.key());
        backend.fill(request, 41);
        backend.fill(backend.posts.get(1).get(0), 42);
        backend.completing = true;

        assertThat(first.future().get(10, TimeUnit.SECONDS)).isEqualTo(new long[][] {{41}});
        assertThat(second.future().get(10, TimeUnit.SECONDS)).isEqualTo(new long[][] {{42}});
        assertThat(adapter.isUp()).isTrue();
    }

    @Test
    void theEndOfItsConnectionFailsEveryChain() throws Exception {
        OwnAdapter adapter = connect();
        TestChain inFlight = post(adapter, 64);

        rig.happens(EventType.RDMA_CM_EVENT_DISCONNECTED, rig.channel.ids.get(0));

        assertThatThrownBy(() -> inFlight.future().get(10, TimeUnit.SECONDS))
                .hasMessageContaining("the memory node's own adapter ended the RDMA connection");
        assertThat(adapter.isUp()).isFalse();
        assertThat(post(adapter, 72).future()).isCompletedExceptionally();
        assertThat(backend.posts).hasSize(1);
    }

    @Test
    void aRejectionIsReportedWithItsReason() {
        backend.answer = EventType.RDMA_CM_EVENT_REJECTED;
        backend.privateData = "the token was used".getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(this::connect)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rejected the RDMA connection: the token was used");
    }
}
