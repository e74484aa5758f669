// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.session.Inquiries;
import io.declock.internal.session.KnownNodeSet;
import io.declock.internal.session.Surroundings;
import io.declock.spi.ManualTime;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which links a list of memory nodes brings, and which list is gone over to. {@code NodeListChangeTest} shows how names move. */
class NodeListFollowerTest {
    private static final NodeList.Node A = new NodeList.Node("A", "tcp://a:1");
    private static final NodeList.Node B = new NodeList.Node("B", "tcp://b:1");
    private static final NodeList.Node C = new NodeList.Node("C", "tcp://c:1");
    private static final NodeList ONE = new NodeList(1, List.of(A, B), B, true);
    private static final NodeList TWO = new NodeList(2, List.of(A, B, C), C, true);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final SilentFabric fabric = new SilentFabric("tcp");
    private final NodeRuntime runtime = new NodeRuntime("test", time, time, () -> 0, null, Runnable::run, null);
    private final KnownNodeSet nodeSet = new KnownNodeSet(1);
    private final MemoryNodeLinks links = new MemoryNodeLinks(
            List.of(fabric),
            ComputeNodeSettings.DEFAULTS,
            new Surroundings(time, time, () -> 0, new NodeCounters(), 1, nodeSet, Inquiries.NONE),
            new Deaf());
    private final LockTable table = new LockTable(null, 100);
    private final Binder binder =
            new Binder(ComputeNodeSettings.DEFAULTS, table, links, new Unavailability(links), time);
    private final NodeListFollower follower =
            new NodeListFollower(links, nodeSet, binder, table, runtime, PATIENCE.toNanos());

    private void learn(NodeList list) {
        nodeSet.learn(list);
        follower.learnt(list);
    }

    private List<String> asked() {
        return fabric.asked.stream().map(MemoryNodeAddress::host).toList();
    }

    @Test
    void linksOfAListAreStartedWithTheOthersAndLaterAtOnce() {
        links.add(MemoryNodeAddress.parse("tcp://a:1"));
        learn(ONE);
        assertThat(links.ids()).as("the configured one is known now, too").containsExactly("A", "B");
        assertThat(asked()).as("before the start").isEmpty();
        follower.start();
        assertThat(asked()).containsExactly("a", "b");
        learn(TWO);
        assertThat(asked()).containsExactly("a", "b", "c");
    }

    @Test
    void aMemoryNodeThatIsRemovedGetsALinkBecauseItHasNamesToGiveUp() {
        learn(new NodeList(3, List.of(A), B, false));
        assertThat(links.ids()).containsExactly("A", "B");
    }

    @Test
    void anAddressThatNoFabricSupportsDoesNotKeepTheOthersAway() {
        learn(new NodeList(1, List.of(new NodeList.Node("R", "other://r:1"), B), B, true));
        assertThat(links.ids()).containsExactly("B");
    }

    @Test
    void aProcessThatHasJustBegunGoesOverToTheNewestListAtOnce() {
        learn(ONE);
        assertThat(nodeSet.used()).isEqualTo(1);
        learn(TWO);
        assertThat(nodeSet.used()).isEqualTo(2);
    }

    @Test
    void listsAreGoneOverToOneAfterTheOtherOnceNamesAreMapped() {
        binder.map(NodeSet.of(List.of("A")));
        learn(ONE);
        assertThat(nodeSet.used()).as("while there is no session with B").isZero();
        learn(TWO);
        time.advance(PATIENCE);
        assertThat(nodeSet.used()).isEqualTo(1);
        time.advance(PATIENCE.multipliedBy(3));
        assertThat(nodeSet.used()).as("the first one is not done").isEqualTo(1);
    }

    @Test
    void nothingIsDoneByAListAfterTheStop() {
        binder.map(NodeSet.of(List.of("A")));
        learn(ONE);
        follower.stop();
        time.advance(PATIENCE.multipliedBy(2));
        assertThat(nodeSet.used()).isZero();
    }
}
