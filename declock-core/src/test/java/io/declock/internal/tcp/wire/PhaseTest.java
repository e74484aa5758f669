// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every type of frame in every phase, and every step from one phase to another. */
class PhaseTest {
    /** What each phase takes, written down a second time. */
    private static final Map<Phase, Set<String>> ALLOWED = Map.ofEntries(
            entry(Phase.PREAMBLE, ""),
            entry(Phase.MEMORY_NODE_AWAITS_PROOF, "AUTH"),
            entry(Phase.MEMORY_NODE_AWAITS_JOIN, "JOIN RESUME"),
            entry(
                    Phase.MEMORY_NODE_SERVES,
                    "CHAIN HEARTBEAT RESOLVE LOOK_UP MEMBERS RECORD_MEMBERS PEER_MESSAGE RECLAIM_ANSWER LEAVE TICKET DECLARE_NODE_SET RESTORE RESERVE LOCK_ANSWER READ_VALUE WRITE_VALUE MOVED AWAIT_GRACE ASK_NODES PROPOSE_NODES DECLARE_NODES AWAIT_GIVEN_UP TAKE_OVER RDMA_ACCESS RDMA_GRANT"),
            entry(Phase.COMPUTE_NODE_AWAITS_PROOF, "AUTHENTICATED REFUSED GOODBYE"),
            entry(Phase.COMPUTE_NODE_AWAITS_JOINED, "NODES_STATE JOINED RESUMED REFUSED GOODBYE"),
            entry(
                    Phase.COMPUTE_NODE_JOINED,
                    "CHAIN_DONE HEARTBEAT_REPLY RESOLVED MEMBERSHIP MEMBERSHIP_CHANGE RECORD_MEMBERSHIP PEER_MESSAGE RECLAIM_PROPOSAL RESTORED GRACE_OVER NODES NODES_STATE GIVEN_UP TAKEN_OVER LOCK_INQUIRY VALUE DONE TICKET_REPLY RDMA_ACCESS_REPLY RDMA_GRANT_REPLY REFUSED GOODBYE"),
            entry(Phase.ACCEPTING_PEER_AWAITS_PROOF, "AUTH"),
            entry(Phase.CONNECTING_PEER_AWAITS_PROOF, "AUTHENTICATED"),
            entry(Phase.PEERS, "PEER_MESSAGE PEER_PROBE PEER_ECHO"),
            entry(Phase.ASKED_MEMORY_NODE_AWAITS_PROOF, "AUTH"),
            entry(Phase.ASKED_MEMORY_NODE_AWAITS_QUESTION, "IDENTIFY PROMISE"),
            entry(Phase.ASKING_MEMORY_NODE_AWAITS_PROOF, "AUTHENTICATED REFUSED GOODBYE"),
            entry(Phase.ASKING_MEMORY_NODE_AWAITS_ANSWER, "IDENTITY PROMISED GOODBYE"));

    private static Map.Entry<Phase, Set<String>> entry(Phase phase, String types) {
        return Map.entry(phase, types.isEmpty() ? Set.of() : Set.of(types.split(" ")));
    }

    @Test
    void everyPhaseTakesExactlyItsFrames() {
        assertThat(ALLOWED).containsOnlyKeys(Phase.values());
        for (Phase phase : Phase.values()) {
            assertThat(Arrays.stream(FrameType.values()).filter(phase::allows).map(FrameType::name))
                    .as(phase.name())
                    .containsExactlyInAnyOrderElementsOf(ALLOWED.get(phase));
        }
    }

    @Test
    void everyTypeOfFrameIsTakenSomewhere() {
        for (FrameType type : FrameType.values()) {
            assertThat(Phase.values()).as(type.name()).anyMatch(phase -> phase.allows(type));
        }
    }

    @Test
    void nothingButAProofLeadsFromAStrangerToOneThatIsKnown() {
        EnumSet<Phase> strangers = EnumSet.of(
                Phase.PREAMBLE,
                Phase.MEMORY_NODE_AWAITS_PROOF,
                Phase.ASKED_MEMORY_NODE_AWAITS_PROOF,
                Phase.ASKING_MEMORY_NODE_AWAITS_PROOF,
                Phase.COMPUTE_NODE_AWAITS_PROOF,
                Phase.ACCEPTING_PEER_AWAITS_PROOF,
                Phase.CONNECTING_PEER_AWAITS_PROOF);
        for (Phase from : Phase.values()) {
            for (Phase to : Phase.values()) {
                if (from.leadsTo(to)) {
                    assertThat(strangers.contains(from))
                            .as("%s leads to %s", from, to)
                            .isEqualTo(strangers.contains(to));
                    assertThat(to.leadsTo(from)).as("%s and back", from).isFalse();
                }
            }
            boolean awaits = strangers.contains(from) && from != Phase.PREAMBLE;
            assertThat(from.proved() != from).as(from.name()).isEqualTo(awaits);
            assertThat(strangers.contains(from.proved())).as(from.name()).isEqualTo(from == Phase.PREAMBLE);
        }
    }

    @Test
    void aProofIsTakenOnceAndOnlyWhereItIsWaitedFor() {
        byte[] right = {1, 2, 3};
        FrameReader reader = new FrameReader();
        assertThatThrownBy(() -> reader.prove(right, right)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> reader.enter(Phase.COMPUTE_NODE_AWAITS_JOINED))
                .isInstanceOf(IllegalStateException.class);
        reader.enter(Phase.COMPUTE_NODE_AWAITS_PROOF);
        assertThatThrownBy(() -> reader.enter(Phase.COMPUTE_NODE_JOINED)).isInstanceOf(IllegalStateException.class);
        assertThat(reader.prove(right, new byte[] {1, 2, 4})).isFalse();
        assertThatThrownBy(() -> reader.enter(Phase.COMPUTE_NODE_JOINED)).isInstanceOf(IllegalStateException.class);
        assertThat(reader.prove(right, right.clone())).isTrue();
        assertThatThrownBy(() -> reader.prove(right, right)).isInstanceOf(IllegalStateException.class);
        reader.enter(Phase.COMPUTE_NODE_JOINED);
    }
}
