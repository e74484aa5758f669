// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.protocol.ResetReason;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinReply;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.PeerMessage.Kind;
import io.declock.spi.RecordMembers;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which messages a session takes for its own, and how it answers the others (rule C2). */
class PeerInboxTest {
    private static final long MEMORY_NODE = 5;
    private static final Member SELF = new Member(1, 7, "here", "self");
    private static final Member PEER = new Member(2, 3, "there", "peer");
    private static final long EPOCH = 40_000;

    private final List<PeerMessage> sent = new ArrayList<>();
    private final List<VerbChain> posted = new ArrayList<>();
    private final ManualTime time = new ManualTime();
    private final NodeSession session = new NodeSession(
            new RecordingSession(),
            ComputeNodeSettings.builder()
                    .name("self")
                    .lease(Duration.ofSeconds(1))
                    .heartbeatInterval(Duration.ofMillis(200))
                    .leaseMargin(Duration.ofMillis(100))
                    .build(),
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, new KnownNodeSet(1), Inquiries.NONE),
            time.nanoTime(),
            epoch -> {},
            (broken, cause) -> {});

    private final class RecordingSession implements FabricSession {
        @Override
        public JoinReply joined() {
            return new JoinReply(
                    "mn",
                    MEMORY_NODE,
                    "",
                    SELF.nodeId(),
                    SELF.incarnation(),
                    8,
                    1 << 20,
                    1_000_000_000L,
                    0,
                    new Membership(1, List.of(SELF, PEER)),
                    NodeSet.NONE);
        }

        @Override
        public RemoteMemory memory() {
            return posted::add;
        }

        @Override
        public ControlPlane control() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void send(Member to, PeerMessage message) {
            sent.add(message);
        }

        @Override
        public void close() {}
    }

    private void receive(Kind kind, long memoryNode, int toIncarnation) {
        session.deliver(new PeerMessage(
                kind, memoryNode, PEER.nodeId(), PEER.incarnation(), SELF.nodeId(), toIncarnation, 0, EPOCH, 4, 0));
    }

    @Test
    void aGrantForAnOlderIncarnationIsRefused() {
        receive(Kind.GRANT, MEMORY_NODE, SELF.incarnation() - 1);
        assertThat(sent).singleElement().satisfies(refusal -> {
            assertThat(refusal.kind()).isEqualTo(Kind.GRANT_REFUSED);
            assertThat(refusal.toNode()).isEqualTo(PEER.nodeId());
            assertThat(refusal.toIncarnation()).isEqualTo(PEER.incarnation());
            assertThat(refusal.epoch()).isEqualTo(EPOCH);
            assertThat(refusal.index()).isEqualTo(4);
        });
    }

    @Test
    void aGrantThatNobodyWaitsForIsNotRefused() {
        receive(Kind.GRANT, MEMORY_NODE, SELF.incarnation());
        assertThat(sent).as("it may be a duplicate").isEmpty();
    }

    @Test
    void nothingElseForAnOlderIncarnationIsAnswered() {
        receive(Kind.RESET_SIGNAL, MEMORY_NODE, SELF.incarnation() - 1);
        receive(Kind.HOLD_QUESTION, MEMORY_NODE, SELF.incarnation() - 1);
        assertThat(sent).isEmpty();
    }

    @Test
    void messagesOfAFormerLifeOfTheMemoryNodeAreDropped() {
        receive(Kind.GRANT, MEMORY_NODE - 1, SELF.incarnation() - 1);
        receive(Kind.RESET_SIGNAL, MEMORY_NODE - 1, SELF.incarnation());
        assertThat(sent).isEmpty();
    }

    @Test
    void whoNeverUsedTheLockAcknowledgesAResetAndHoldsNothing() {
        receive(Kind.RESET_SIGNAL, MEMORY_NODE, SELF.incarnation());
        receive(Kind.HOLD_QUESTION, MEMORY_NODE, SELF.incarnation());
        assertThat(sent).extracting(PeerMessage::kind).containsExactly(Kind.RESET_ACK, Kind.HOLD_ANSWER);
        assertThat(sent.get(0).detail()).isZero();
        assertThat(sent.get(1).index()).isZero();
    }

    /** Two users have reason to ask whether anybody holds the lock; this one waits a while (rule B17). */
    private PeerInbox waitsToAsk() {
        BitSet users = new BitSet();
        users.set(SELF.nodeId());
        users.set(PEER.nodeId());
        ResetCoordinator coordinator = new ResetCoordinator(
                session, record -> CompletableFuture.completedStage(RecordMembers.of(session.membership(), users)));
        coordinator.request(0, EPOCH, ResetReason.SUSPECTED);
        long header = LockHeader.pack(EPOCH, 7, 1, 1);
        posted.get(0).completed((verb, word) -> word == 1 ? EPOCH : header);
        assertThat(sent).isEmpty();
        return new PeerInbox(session, coordinator, new SessionLocks(session, "mn", coordinator));
    }

    private static PeerMessage question(Member from) {
        return new PeerMessage(
                Kind.HOLD_QUESTION,
                MEMORY_NODE,
                from.nodeId(),
                from.incarnation(),
                SELF.nodeId(),
                SELF.incarnation(),
                0,
                EPOCH,
                0,
                0);
    }

    @Test
    void whoHearsTheQuestionOfAnotherUserDoesNotAsk() {
        PeerInbox inbox = waitsToAsk();
        inbox.deliver(question(PEER));
        time.advance(Duration.ofMillis(100));
        assertThat(posted).as("no look before a question").hasSize(1);
        assertThat(sent).extracting(PeerMessage::kind).containsExactly(Kind.HOLD_ANSWER);
    }

    @Test
    void theOwnQuestionIsNotThatOfAnotherUser() {
        PeerInbox inbox = waitsToAsk();
        inbox.deliver(question(SELF));
        time.advance(Duration.ofMillis(100));
        assertThat(posted).as("a look before the question").hasSize(2);
    }
}
