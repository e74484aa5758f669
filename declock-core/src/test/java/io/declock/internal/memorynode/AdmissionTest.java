// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinRequest;
import io.declock.spi.Member;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which member a request to join becomes (rules B16 and C6). */
class AdmissionTest {
    private final NodeParts parts = new NodeParts("a");
    private final MemoryNodeSession session = parts.session("service");
    private final JoinedSessions joined = new JoinedSessions(1);
    private final NodeIds ids = new NodeIds(1, 1_000, 0);
    private final Admission admission = new Admission(parts.settings, ids, joined);

    @BeforeEach
    void join() {
        joined.add(session);
    }

    private static JoinRequest request(String name, long attempt) {
        return new JoinRequest(name.hashCode(), attempt, name, "", 0, NodeParts.LEASE.toNanos());
    }

    @Test
    void aLaterRequestOfAProcessReplacesItsSessionAndAnEarlierOneDoesNot() throws Exception {
        assertThat(admission.earlier(request("other", 1))).isNull();
        assertThat(admission.earlier(request("service", session.attempt() + 1))).isSameAs(session);
        assertThatThrownBy(() -> admission.earlier(request("service", session.attempt())))
                .hasMessageContaining("from a later attempt of this process");
    }

    @Test
    void aSessionIsReplacedOnlyWhenNoVerbOfItCanLand() throws Exception {
        session.enter();
        session.disconnected();
        assertThatThrownBy(() -> admission.checkReplaceable(session)).hasMessageContaining("has not yet cut");
        session.exit();
        admission.checkReplaceable(session);
    }

    @Test
    void aSuccessorHasTheNodeIdAndTheNextIncarnation() throws Exception {
        Member member = admission.newcomer(request("service", 1), 0, Abilities.ALL, 0);
        assertThat(member.nodeId()).isEqualTo(session.member().nodeId());
        Member next = admission.successor(session, request("service", 2), Abilities.ALL);
        assertThat(next.nodeId()).isEqualTo(member.nodeId());
        assertThat(next.incarnation()).isEqualTo(member.incarnation() + 1);
    }

    @Test
    void aNodeIdGoesToAnotherProcessOnlyAfterItsRest() throws Exception {
        admission.newcomer(request("service", 1), 0, Abilities.ALL, 0);
        admission.ended(session, 100);
        assertThatThrownBy(() -> admission.newcomer(request("other", 1), 0, Abilities.ALL, 99))
                .isInstanceOfSatisfying(
                        FabricException.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.NOT_YET));
        assertThat(admission
                        .newcomer(request("other", 1), 0, Abilities.ALL, 100)
                        .nodeId())
                .isEqualTo(1);
    }

    @Test
    void theIdOfTheFormerLifeIsTakenAgainDuringItsRest() throws Exception {
        admission.newcomer(request("service", 1), 0, Abilities.ALL, 0);
        admission.ended(session, 100);
        assertThat(admission
                        .newcomer(request("service", 2), 1, Abilities.ALL, 0)
                        .nodeId())
                .isEqualTo(1);
    }

    @Test
    void onlyProcessesWithAConnectionAreTooMany() throws Exception {
        MemoryNodeSettings forOne = MemoryNodeSettings.builder("a")
                .records(64)
                .queueCapacity(8)
                .maxComputeNodes(1)
                .build();
        Admission full = new Admission(forOne, ids, joined);
        full.newcomer(request("service", 1), 0, Abilities.ALL, 0);
        assertThat(refusalBy(full)).isEqualTo(Reason.TOO_MANY_COMPUTE_NODES);
        session.disconnected();
        assertThat(refusalBy(full)).as("its lease may run out").isEqualTo(Reason.NOT_YET);
    }

    private static Reason refusalBy(Admission full) {
        return catchThrowableOfType(
                        FabricException.Refused.class, () -> full.newcomer(request("other", 1), 0, Abilities.ALL, 0))
                .reason();
    }
}
