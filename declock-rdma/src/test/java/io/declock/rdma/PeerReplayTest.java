// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.rdma.ManagerRig.TestId;
import io.declock.rdma.PeerConnections.Way;
import io.declock.rdma.verbs.CmEvent;
import io.declock.spi.AdapterException;
import io.declock.spi.FabricSession;
import io.declock.spi.GrantedValue;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordingListener;
import io.declock.spi.StoredValue;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A request to connect that was recorded and is sent again opens no connection, and no name that another process advertises is looked
 * up; and a peer is sent what its address says that it takes. Without a device.
 */
@Timeout(60)
class PeerReplayTest {
    private static final int PEER = 2;
    private static final int OTHER = 3;
    private static final String PEER_ADDRESS = "10.0.0.2:7421/rdma=4711";

    private final StandingSession tcp = new StandingSession();
    private final CompletableFuture<FabricSession> joining = new CompletableFuture<>();
    private TcpFabric control;
    private ManagerRig rig;
    private PeerConnections peers;
    private RdmaSession session;

    @BeforeEach
    void start() throws Exception {
        rig = new ManagerRig();
        rig.backend.accepting = true;
        peers = PeerConnections.start(rig.manager, new PeerSettings(true, 0, 1), rig.backend);
        control = TcpFabric.open(TcpFabricSettings.DEFAULTS, new NodeCounters());
        AdapterException none = new AdapterException("none", "none", null);
        session = new RdmaSession(
                RdmaFabric.overTcp(control, new NodeCounters(), none),
                rig.manager,
                peers,
                MemoryNodeAddress.parse("rdma://locks.example:7420"),
                new RecordingListener(),
                joining);
        tcp.members = StandingSession.members(1, member(PEER, PEER_ADDRESS), member(OTHER, ""));
        session.joined(tcp);
        peers.joined(session);
    }

    @AfterEach
    void stop() {
        rig.close();
        control.close();
    }

    private static Member member(int nodeId, String address) {
        return new Member(nodeId, 1, address, "node-" + nodeId);
    }

    private Greetings.Peers request(int from, long attempt) {
        byte[] none = new byte[Greetings.REQUEST_PROOF_BYTES];
        Greetings.Peers bare = new Greetings.Peers(
                StandingSession.MEMORY_NODE,
                from,
                1,
                StandingSession.NODE_ID,
                StandingSession.INCARNATION,
                attempt,
                none);
        return PeerProofs.proved(tcp.ticketFrom(from, 1), bare);
    }

    private void send(Greetings.Peers request) throws Exception {
        rig.request(Greetings.toPeer(request));
        rig.settle();
    }

    private void assertRejected(Greetings.Peers request, String why) throws Exception {
        int accepted = rig.backend.accepts.size();
        int rejected = rig.backend.rejections.size();
        send(request);
        assertThat(rig.backend.accepts).hasSize(accepted);
        assertThat(rig.backend.rejections).hasSize(rejected + 1);
        assertThat(rig.backend.rejections.get(rejected)).contains(why);
    }

    private void assertAccepted(Greetings.Peers request) throws Exception {
        int accepted = rig.backend.accepts.size();
        send(request);
        assertThat(rig.backend.accepts).hasSize(accepted + 1);
        byte[] ticket = tcp.ticketFrom(request.fromNode(), request.fromIncarnation());
        assertThat(rig.backend.accepts.get(accepted)).isEqualTo(PeerProofs.ofAcceptance(ticket, request));
    }

    @Test
    void aRequestIsAcceptedOnceAndNeverAnOlderOne() throws Exception {
        Greetings.Peers recorded = request(PEER, 7);
        assertAccepted(recorded);
        assertRejected(recorded, "attempt 7 of compute node 2.1 to connect is not higher than those before");
        assertRejected(request(PEER, 6), "not higher");
        assertAccepted(request(PEER, 8));
        assertRejected(recorded, "not higher");
        assertAccepted(request(OTHER, 7));
        // That one took the only place for a connection: what was accepted is remembered without one.
        assertRejected(request(PEER, 8), "not higher");
    }

    @Test
    void theProofCoversTheAttempt() throws Exception {
        Greetings.Peers recorded = request(PEER, 7);
        assertAccepted(recorded);
        Greetings.Peers changed = new Greetings.Peers(
                recorded.memoryNode(),
                recorded.fromNode(),
                recorded.fromIncarnation(),
                recorded.toNode(),
                recorded.toIncarnation(),
                8,
                recorded.proof());
        assertRejected(changed, "not the compute node that it claims to be");
        assertThat(PeerProofs.ofAcceptance(new byte[32], changed))
                .isNotEqualTo(PeerProofs.ofAcceptance(new byte[32], recorded));
    }

    @Test
    void nothingIsKeptOfThoseWhoAreNoMembers() throws Exception {
        assertAccepted(request(PEER, 7));
        assertAccepted(request(OTHER, 7));
        assertThat(peers.keptAttempts()).isEqualTo(2);

        session.membershipChanged(StandingSession.members(3, member(OTHER, "")));
        assertThat(peers.keptAttempts()).isEqualTo(1);
        assertRejected(request(PEER, 8), "not a known member");
        assertThat(peers.keptAttempts()).isEqualTo(1);

        // A list of members that arrives late is older, and is ignored.
        session.membersAre(StandingSession.members(2, member(PEER, PEER_ADDRESS)));
        assertRejected(request(PEER, 9), "not a known member");
        assertRejected(request(OTHER, 7), "not higher");

        peers.gone(session);
        assertThat(peers.keptAttempts()).isZero();
        assertRejected(request(OTHER, 9), "has no session in this process");
        assertThat(peers.keptAttempts()).isZero();
    }

    private TestId opening() throws Exception {
        int before = rig.channel.ids.size();
        PeerMessage message = new PeerMessage(
                PeerMessage.Kind.GRANT,
                StandingSession.MEMORY_NODE,
                StandingSession.NODE_ID,
                StandingSession.INCARNATION,
                PEER,
                1,
                64,
                5,
                1,
                6,
                new long[0]);
        await().atMost(ManagerRig.PATIENCE)
                .until(() -> peers.send(session, member(PEER, PEER_ADDRESS), message) == Way.OPENING);
        await().atMost(ManagerRig.PATIENCE).until(() -> rig.channel.ids.size() == before + 1);
        TestId id = rig.channel.ids.get(before);
        rig.happens(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, id);
        rig.happens(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, id);
        rig.settle();
        return id;
    }

    private Greetings.Peers lastRequest() throws Exception {
        return Greetings.readPeers(rig.backend.connects.getLast());
    }

    private void accepted(TestId id, byte[] proof) throws Exception {
        rig.backend.outcomes.add(() -> new CmEvent(EventType.RDMA_CM_EVENT_ESTABLISHED, 0, id, null, proof));
        rig.settle();
    }

    @Test
    void anAcceptanceThatWasRecordedIsNoneOfTheNextAttempt() throws Exception {
        TestId first = opening();
        Greetings.Peers before = lastRequest();
        byte[] recorded = PeerProofs.ofAcceptance(tcp.ticketFrom(PEER, 1), before);
        accepted(first, recorded);
        assertThat(first.destroyed).isFalse();
        rig.happens(EventType.RDMA_CM_EVENT_DISCONNECTED, first);
        await().atMost(ManagerRig.PATIENCE).until(() -> first.destroyed);

        TestId second = opening();
        assertThat(lastRequest().attempt()).isGreaterThan(before.attempt());
        accepted(second, recorded);
        await().atMost(ManagerRig.PATIENCE).until(() -> second.destroyed);

        TestId third = opening();
        accepted(third, PeerProofs.ofAcceptance(tcp.ticketFrom(PEER, 1), lastRequest()));
        assertThat(third.destroyed).isFalse();
    }

    /** A former release has buffers of 256 bytes; a longer message would end the connection. */
    @Test
    void onlyAPeerThatSaysSoIsToldTheValue() throws Exception {
        accepted(opening(), PeerProofs.ofAcceptance(tcp.ticketFrom(PEER, 1), lastRequest()));
        StoredValue value = new StoredValue(6, "writer", new byte[StoredValue.MAX_BYTES]);
        PeerMessage told = new PeerMessage(
                PeerMessage.Kind.GRANT, 7, 1, 2, PEER, 1, 64, 5, 1, 6, new long[0], new GrantedValue(value));

        assertThat(peers.send(session, member(PEER, PEER_ADDRESS), told)).isEqualTo(Way.SENT);
        assertThat(lastLength()).isEqualTo(PeerFrames.messageBytes(told.withoutValue()));
        assertThat(peers.send(session, member(PEER, "10.0.0.2:7421" + peers.advertisement()), told))
                .isEqualTo(Way.SENT);
        assertThat(lastLength()).isEqualTo(PeerFrames.messageBytes(told)).isGreaterThan(StoredValue.MAX_BYTES);
    }

    private int lastLength() {
        return rig.backend.posts.getLast().get(0).length();
    }

    @Test
    void noNameThatAPeerAdvertisesIsLookedUp() {
        int before = rig.channel.ids.size();
        PeerMessage message = new PeerMessage(PeerMessage.Kind.GRANT, 7, 1, 2, 3, 4, 64, 5, 1, 6, new long[0]);
        for (String name : new String[] {"localhost:1/rdma=5", "peer.example:1/rdma=5", "[:1/rdma=5", ":1/rdma=5"}) {
            assertThat(peers.send(session, member(PEER, name), message))
                    .as(name)
                    .isEqualTo(Way.NONE);
        }
        assertThat(rig.channel.ids).hasSize(before);
        assertThat(rig.backend.targets).isEmpty();
    }

    @Test
    void norOneThatAMemoryNodeOffers() throws Exception {
        tcp.offer.complete(Optional.of(new RdmaOffer("localhost", 4711, new byte[32])));
        assertThat(joining.get().joined()).isEqualTo(tcp.joined());
        assertThat(session.queuePairState()).contains("TCP is used");
        rig.settle();
        assertThat(rig.backend.targets).isEmpty();
    }

    /** The name that is configured was looked up to join, on a thread for that, and is not once more. */
    @Test
    void withoutAnAddressOfItsOwnRdmaGoesWhereTheSessionIsConnected() throws Exception {
        tcp.offer.complete(Optional.of(new RdmaOffer("", 4711, new byte[32])));
        await().atMost(ManagerRig.PATIENCE).until(() -> !rig.backend.targets.isEmpty());
        assertThat(rig.backend.targets).containsExactly(new InetSocketAddress(tcp.remoteAddress(), 4711));
    }
}
