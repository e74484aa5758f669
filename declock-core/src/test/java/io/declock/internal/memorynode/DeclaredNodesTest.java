// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static io.declock.internal.memorynode.NodeParts.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.spi.FabricException;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.JoinRequest;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory node "a" and the sets that its compute nodes declare (rules C11 and M3). */
class DeclaredNodesTest {
    private static final NodeSet AB = NodeSet.of(List.of("a", "b"));
    private static final NodeSet AC = NodeSet.of(List.of("a", "c"));
    private static final NodeList LIST = new NodeList(1, List.of(node("a"), node("c")), node("c"), true);

    private final NodeParts parts = new NodeParts("a");
    private final MemoryNodeSession first = parts.session("first");
    private final MemoryNodeSession second = parts.session("second");
    private final JoinedSessions joined = new JoinedSessions(2);
    private final DeclaredNodes declared = new DeclaredNodes(parts.settings, parts.current, joined);

    @BeforeEach
    void join() {
        joined.add(first);
        joined.add(second);
    }

    @Test
    void oneSetIsDeclaredAtATime() throws Exception {
        declared.declareSet(first, AB);
        assertThat(declared.set(null)).isEqualTo(AB);
        assertThat(declared.set(first).isNone()).isTrue();
        declared.declareSet(second, AB);
        assertThatThrownBy(() -> declared.declareSet(second, AC))
                .isInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("another set of memory nodes");
        joined.remove(second);
        declared.declareSet(first, AC);
        assertThat(declared.set(null)).isEqualTo(AC);
    }

    @Test
    void aSetWithoutThisMemoryNodeIsRefused() {
        assertThatThrownBy(() -> declared.declareSet(first, NodeSet.of(List.of("b", "c"))))
                .isInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("is not among the memory nodes");
    }

    @Test
    void aListTakesThePlaceOfTheSet() throws Exception {
        declared.declareSet(first, AB);
        parts.current.set(LIST, List.of());
        assertThat(declared.set(null)).isEqualTo(AC);
        assertThat(declared.undeclared(1)).isEqualTo(2);
        declared.declareSet(first, AB);
        assertThat(declared.undeclared(1)).as("a set that is replaced").isEqualTo(2);
        declared.declareSet(first, AC);
        declared.declareList(second, 1);
        declared.declareList(second, 0);
        assertThat(declared.undeclared(1)).isZero();
    }

    @Test
    void aComputeNodeThatJoinsIsToldOfTheListIfItKnowsLists() {
        assertThat(DeclaredNodes.joiningList(AB, true, LIST)).isEqualTo(1);
        assertThat(DeclaredNodes.joiningList(AC, false, LIST)).isEqualTo(1);
        assertThat(DeclaredNodes.joiningList(AB, false, LIST)).isZero();
        assertThat(DeclaredNodes.joiningList(AB, true, NodeList.NONE)).isZero();
    }

    private static JoinRequest request(NodeSet set) {
        return new JoinRequest(9, 1, "third", "", set, 0, NodeParts.LEASE.toNanos(), FormerMemoryNode.NONE, false);
    }

    @Test
    void aProcessJoinsWithTheSetThatIsDeclared() throws Exception {
        declared.declareSet(first, AB);
        assertThat(declared.joining(request(AB), false, null)).isEqualTo(AB);
        assertThat(declared.joining(request(NodeSet.NONE), false, null).isNone())
                .as("it has not declared one yet")
                .isTrue();
        assertThatThrownBy(() -> declared.joining(request(AC), false, null))
                .isInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("another set of memory nodes");
        assertThat(declared.joining(request(AC), false, first))
                .as("in place of the only one that has declared another")
                .isEqualTo(AC);
    }

    @Test
    void aSetOfAnotherMemoryNodeIsNoneThatAProcessJoinsWith() throws Exception {
        declared.declareSet(first, AB);
        assertThat(declared.joining(request(NodeSet.of(List.of("b", "c"))), false, null)
                        .isNone())
                .isTrue();
    }

    @Test
    void aReplacedSetIsNoneThatAProcessWhichKnowsListsJoinsWith() throws Exception {
        parts.current.set(LIST, List.of());
        assertThat(declared.joining(request(AB), true, null).isNone()).isTrue();
        assertThat(declared.joining(request(AC), true, null)).isEqualTo(AC);
        assertThatThrownBy(() -> declared.joining(request(AB), false, null))
                .isInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("another set of memory nodes");
    }

    @Test
    void aComputeNodeThatKnowsNoListsIsRefusedItsReplacedSet() {
        MemoryNodeSession old = parts.session("old", false);
        JoinedSessions all = new JoinedSessions(3);
        DeclaredNodes nodes = new DeclaredNodes(parts.settings, parts.current, all);
        all.add(first);
        assertThat(nodes.oneThatKnowsNoLists()).isEmpty();
        all.add(old);
        assertThat(nodes.oneThatKnowsNoLists()).isEqualTo(old.describe());
        parts.current.set(LIST, List.of());
        assertThatThrownBy(() -> nodes.declareSet(old, AB))
                .isInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("another set of memory nodes");
    }

    @Test
    void theConfiguredSetIsTheOneWithoutAnyDeclaration() {
        MemoryNodeSettings configured = MemoryNodeSettings.builder("a")
                .records(64)
                .queueCapacity(8)
                .nodeSet(AB)
                .build();
        DeclaredNodes nodes = new DeclaredNodes(configured, parts.current, joined);
        assertThat(nodes.set(null)).isEqualTo(AB);
        assertThatThrownBy(() -> nodes.declareSet(first, AC)).hasMessageContaining("another set of memory nodes");
    }
}
