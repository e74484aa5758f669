// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JoinedSessionsTest {
    private final NodeParts parts = new NodeParts("a");
    private final MemoryNodeSession first = parts.session("first");
    private final MemoryNodeSession second = parts.session("second");
    private final JoinedSessions joined = new JoinedSessions(2);

    @Test
    void theMembershipFollowsEachChangeWithAHigherVersion() {
        long version = joined.membership().version();
        joined.add(second);
        joined.add(first);
        assertThat(joined.snapshot()).containsExactly(first, second);
        assertThat(joined.membership().members()).containsExactly(first.member(), second.member());
        joined.remove(second);
        assertThat(joined.membership().members()).containsExactly(first.member());
        assertThat(joined.membership().version()).isEqualTo(version + 3);
    }

    @Test
    void aSessionIsFoundByItsNodeIdAndItsProcess() {
        joined.add(first);
        assertThat(joined.byNodeId(first.member().nodeId())).isSameAs(first);
        assertThat(joined.byNodeId(second.member().nodeId())).isNull();
        assertThat(joined.byNodeId(0)).isNull();
        assertThat(joined.byNodeId(3)).isNull();
        assertThat(joined.byNodeId(4)).as("above the id of the trustee").isNull();
        assertThat(joined.ofProcess(first.processId())).isSameAs(first);
        assertThat(joined.ofProcess(second.processId())).isNull();
    }

    @Test
    void aRecordHasTheMembersThatKnowIt() {
        joined.add(first);
        joined.add(second);
        second.known().add(5);
        assertThat(joined.membersThatKnow(5).users().members()).containsExactly(second.member());
        joined.remove(second);
        assertThat(joined.membersThatKnow(5).users().members()).isEmpty();
    }

    @Test
    void theTrusteeIsAMemberAndNoComputeNode() {
        joined.add(first);
        assertThat(joined.trustee()).isNull();
        joined.addTrustee(second);
        assertThat(joined.trustee()).isSameAs(second);
        assertThat(joined.snapshot()).containsExactly(first);
        assertThat(joined.membership().members()).containsExactly(first.member(), second.member());
        assertThat(joined.ofProcess(second.processId())).isNull();
    }
}
