// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.Counters;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.TcpFabricSettings;
import io.declock.Verb;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.spi.AdapterException;
import io.declock.spi.FabricCounters;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.RecordingListener;
import io.declock.spi.TestChain;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a session's chains when the adapters' connection breaks and another one takes its place (rules G1 and G6). Without a device. */
@Timeout(60)
class ReplacedConnectionTest {
    private static final byte[] GRANT = Greetings.granting(new RegionGrant(0x10000, 4096, 0x42));

    private final Device backend = new Device();
    private final StandingSession tcp = new StandingSession();
    private final Hook counters = new Hook();
    private TcpFabric control;
    private ManagerRig rig;
    private RdmaSession session;
    private TestChain inFlight;

    /** Connects where {@link #establish} lets it, and executes nothing. */
    private static final class Device extends ManagerRig.Events {
        final Deque<RdmaCmId> connecting = new ArrayDeque<>();

        @Override
        public void resolveAddress(RdmaCmId id, InetSocketAddress source, InetSocketAddress target, int timeoutMillis) {
            outcomes.add(() -> ManagerRig.event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, id));
            outcomes.add(() -> ManagerRig.event(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, id));
        }

        @Override
        public synchronized void connect(RdmaCmId id, ConnectionParameters parameters) {
            super.connect(id, parameters);
            connecting.add(id);
        }

        synchronized boolean isAsked() {
            return !connecting.isEmpty();
        }

        /** The memory node accepts the oldest request. */
        synchronized void establish() {
            RdmaCmId id = connecting.remove();
            outcomes.add(() -> new CmEvent(EventType.RDMA_CM_EVENT_ESTABLISHED, 0, id, null, GRANT));
        }
    }

    /** Runs something once, between the choice of the queue pair for a chain and the posting of the chain. */
    private static final class Hook implements FabricCounters {
        final NodeCounters counted = new NodeCounters();
        volatile Runnable beforePosting = () -> {};

        @Override
        public void verb(Purpose purpose, Verb verb) {
            Runnable once = beforePosting;
            beforePosting = () -> {};
            once.run();
        }

        @Override
        public void count(Counters.Event event) {
            counted.count(event);
        }
    }

    @BeforeEach
    void start() throws Exception {
        backend.accepting = true;
        rig = new ManagerRig(backend);
        control = TcpFabric.open(TcpFabricSettings.DEFAULTS, new NodeCounters());
        CompletableFuture<FabricSession> joining = new CompletableFuture<>();
        session = new RdmaSession(
                RdmaFabric.overTcp(control, counters, new AdapterException("none", "none", null)),
                rig.manager,
                PeerConnections.start(rig.manager, new PeerSettings(false, 0, 1), backend),
                MemoryNodeAddress.parse("rdma://locks.example:7420"),
                new RecordingListener(),
                joining);
        tcp.offer.complete(Optional.of(new RdmaOffer("", 4711, new byte[Greetings.TOKEN_BYTES])));
        session.joined(tcp);
        awaitRequest();
        backend.establish();
        joining.get(10, TimeUnit.SECONDS);
        inFlight = post(8);
        assertThat(backend.posts).hasSize(1);
    }

    @AfterEach
    void stop() {
        rig.close();
        control.close();
    }

    private TestChain post(long address) {
        TestChain chain = TestChain.forPurpose(Purpose.RELEASE);
        chain.fetchAndAdd(address, 1);
        session.post(chain);
        return chain;
    }

    private void awaitRequest() {
        await().atMost(ManagerRig.PATIENCE).until(backend::isAsked);
    }

    /** The connection breaks, and the session has asked for another one. */
    private void breakOff() {
        rig.happens(EventType.RDMA_CM_EVENT_DISCONNECTED, rig.channel.ids.get(0));
        awaitRequest();
    }

    private void replace() throws Exception {
        backend.establish();
        await().atMost(ManagerRig.PATIENCE).until(() -> session.disconnectedNanos() == 0);
        rig.settle();
    }

    @Test
    void whatWaitsDuringABreakIsPostedOnTheNextConnection() throws Exception {
        breakOff();
        TestChain waits = post(16);
        assertThat(backend.posts).as("nothing is posted without a connection").hasSize(1);
        assertThat(inFlight.ends)
                .as("verbs may still be executed until the next connection is there")
                .hasValue(0);

        replace();
        assertThat(inFlight.ends).as("its outcome is unknown").hasValue(1);
        assertThat(backend.posts).as("what was in flight is not posted again").hasSize(2);
        assertThat(backend.posts.get(1).get(0).remote()).isEqualTo(0x10000 + 16);
        assertThat(waits.ends).hasValue(0);
        assertThat(counters.counted.get(Counters.Event.SESSION_RESUMED)).isEqualTo(1);
    }

    @Test
    void aThreadThatComesLateToTheLastQueuePairHandsItsChainOn() throws Exception {
        counters.beforePosting = () -> {
            breakOff();
            try {
                replace();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        };
        TestChain late = post(24);
        assertThat(backend.posts).hasSize(2);
        assertThat(backend.posts.get(1).get(0).remote()).isEqualTo(0x10000 + 24);
        assertThat(late.ends).hasValue(0);
    }

    @Test
    void chainsFailWithTheSessionThatFoundNoOtherConnection() {
        breakOff();
        TestChain waits = post(16);
        FabricException over = new FabricException("the session is over");
        session.lost(over);
        for (TestChain chain : new TestChain[] {inFlight, waits, post(32)}) {
            assertThat(chain.ends).hasValue(1);
            assertThatThrownBy(() -> chain.future().get(10, TimeUnit.SECONDS)).hasCause(over);
        }
        assertThat(backend.posts).hasSize(1);
    }
}
