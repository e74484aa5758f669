// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.NodeSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How an attempt to join leads to a session that may be used, or ends before. */
class JoinerTest {
    private static final MemoryNodeAddress ADDRESS = MemoryNodeAddress.parse("tcp://here:1");
    private static final NodeSet TWO = NodeSet.of(List.of("mn", "other"));

    private final AlwaysThere fabric = new AlwaysThere();
    private final ManualTime time = new ManualTime();
    private final KnownNodeSet nodeSet = new KnownNodeSet(2);
    private final MemoryNodeIdentity identity = new MemoryNodeIdentity(ADDRESS);
    private final Surroundings surroundings =
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, nodeSet, Inquiries.NONE);
    private final Told user = new Told();
    private final Joiner joiner = new Joiner(
            ADDRESS,
            fabric,
            ComputeNodeSettings.builder().name("self").lease(QuietSession.LEASE).build(),
            surroundings,
            identity,
            new Departing(surroundings),
            user);

    private void assertFailed(String why) {
        assertThat(user.sessions).isEmpty();
        assertThat(user.failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessageContaining(why));
        assertThat(fabric.latest).matches(QuietSession::isClosed, "is closed");
    }

    @Test
    void aRequestTellsWhatThisProcessHasSeen() {
        joiner.join(ADDRESS);
        JoinRequest first = fabric.request;
        assertThat(first.former()).isEqualTo(FormerMemoryNode.NONE);
        assertThat(first.nodeSet()).isEqualTo(NodeSet.NONE);
        identity.joined(fabric.latest.joined());
        nodeSet.learn(TWO);
        joiner.sawEpoch(7);
        joiner.sawEpoch(5);
        joiner.join(ADDRESS);
        JoinRequest second = fabric.request;
        assertThat(second.attempt()).isGreaterThan(first.attempt());
        assertThat(second.processId()).isEqualTo(first.processId());
        assertThat(second.former()).isEqualTo(new FormerMemoryNode(5, QuietSession.ADDRESS));
        assertThat(second.nodeSet()).isEqualTo(TWO);
        assertThat(second.highestEpoch()).isEqualTo(7);
        assertThat(user.sessions).hasSize(2);
        assertThat(user.failures).isEmpty();
    }

    /** Rule C8. */
    @Test
    void anotherMemoryNodeThanBeforeIsLeft() {
        identity.expect("before");
        joiner.join(ADDRESS);
        assertFailed("was memory node 'before'");
        assertThat(nodeSet.get().isNone()).as("nothing learnt").isTrue();
    }

    // ---------------------------------------------------------------- the set of memory nodes (rule C11)

    @Test
    void aSetThatIsLearntElsewhereWhileJoiningIsDeclaredFirst() {
        CompletableFuture<FabricSession> answer = new CompletableFuture<>();
        fabric.answers = session -> answer;
        joiner.join(ADDRESS);
        nodeSet.learn(TWO);
        answer.complete(fabric.latest);
        assertThat(user.sessions).isEmpty();
        assertThat(fabric.latest.declarations).containsExactly(TWO);
        fabric.latest.declared.complete(null);
        assertThat(user.sessions).hasSize(1);
    }

    @Test
    void aSilentMemoryNodeIsWaitedForAsLongAsTheLease() {
        fabric.whenJoining = session -> session.nodeSet = TWO;
        joiner.join(ADDRESS);
        time.advance(QuietSession.LEASE);
        assertFailed("did not answer within the lease");
        fabric.latest.declared.complete(null);
        assertThat(user.sessions).as("a late answer").isEmpty();
        assertThat(user.failures).hasSize(1);
    }

    @Test
    void aMemoryNodeThatIsNotInTheSetThatItTellsTeachesNothing() {
        fabric.whenJoining = session -> session.nodeSet = NodeSet.of(List.of("third", "other"));
        joiner.join(ADDRESS);
        assertThat(nodeSet.get().isNone()).as("nothing learnt").isTrue();
        assertThat(user.failures).singleElement().isInstanceOf(FabricException.Refused.class);
    }

    @Test
    void aMemoryNodeThatIsNotOfTheSetIsRefused() {
        nodeSet.learn(NodeSet.of(List.of("third", "other")));
        joiner.join(ADDRESS);
        assertFailed("'mn', which is not among the memory nodes that the other processes use");
    }

    @Test
    void aMemoryNodeOfAnotherSetIsRefused() {
        nodeSet.learn(TWO);
        fabric.whenJoining = session -> session.nodeSet = NodeSet.of(List.of("mn", "third"));
        joiner.join(ADDRESS);
        assertFailed("another set of memory nodes");
    }

    private static final class Told implements Joiner.User {
        final List<NodeSession> sessions = new ArrayList<>();
        final List<Throwable> failures = new ArrayList<>();

        @Override
        public void joined(NodeSession fresh, SessionEvents events) {
            sessions.add(fresh);
        }

        @Override
        public void failed(Throwable failure) {
            failures.add(failure);
        }

        @Override
        public void lost(NodeSession session, FabricException cause) {}

        @Override
        public void brokenOff(NodeSession session, FabricException cause) {}

        @Override
        public void reclaimProposed(NodeSession session, long round, long[] records) {}
    }
}
