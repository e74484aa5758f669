// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static io.declock.internal.memorynode.NodeParts.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.internal.memorynode.ListAgreement.Present;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory node "a", to which lists are proposed and given (rule M1). */
class ListAgreementTest {
    private static final NodeList ADDED = new NodeList(1, List.of(node("a"), node("b")), node("b"), true);
    private static final NodeList OTHER = new NodeList(1, List.of(node("a"), node("c")), node("c"), true);
    private static final NodeList NEXT = new NodeList(2, List.of(node("a"), node("b"), node("c")), node("c"), true);
    private static final NodeList REMOVED = new NodeList(2, List.of(node("a")), node("b"), false);

    private final NodeParts parts = new NodeParts("a");
    private final MemoryNodeSession first = parts.session("first");
    private final MemoryNodeSession second = parts.session("second");
    private final ListAgreement agreement = new ListAgreement("a");

    private static Present with(NodeList list) {
        return new Present(list, "", NodeSet.NONE, true);
    }

    private static void assertRefused(Reason reason, String message, Attempt attempt) {
        assertThatThrownBy(attempt::run)
                .isInstanceOfSatisfying(
                        FabricException.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(reason))
                .hasMessageContaining(message);
    }

    private interface Attempt {
        void run() throws Exception;
    }

    @Test
    void aProposalStandsInTheWayOfOthersOfItsNumberAsLongAsItsSessionLasts() throws Exception {
        agreement.propose(first, ADDED, with(NodeList.NONE));
        agreement.propose(second, ADDED, with(NodeList.NONE));
        assertRefused(
                Reason.NOT_YET, "has agreed to list 1", () -> agreement.propose(first, OTHER, with(NodeList.NONE)));
        assertRefused(Reason.NOT_YET, "has agreed to list 1", () -> agreement.give(first, OTHER, NodeList.NONE));
        second.disconnected();
        agreement.propose(first, OTHER, with(NodeList.NONE));
    }

    @Test
    void aListThatWasGivenStandsInTheWayForEver() throws Exception {
        agreement.give(first, ADDED, NodeList.NONE);
        first.disconnected();
        assertRefused(Reason.NOT_YET, "was given list 1", () -> agreement.give(second, OTHER, NodeList.NONE));
        assertRefused(Reason.NOT_YET, "was given list 1", () -> agreement.propose(second, OTHER, with(NodeList.NONE)));
        agreement.give(second, ADDED, NodeList.NONE);
    }

    @Test
    void aListThatWasTakenLeavesTheProposalOfTheNextOneAlone() throws Exception {
        agreement.propose(first, ADDED, with(NodeList.NONE));
        agreement.taken(ADDED);
        agreement.propose(first, NEXT, with(ADDED));
        // A second session had declared the list before, and its word was written down late.
        agreement.taken(ADDED);
        assertRefused(Reason.NOT_YET, "has agreed to list 2", () -> agreement.propose(second, REMOVED, with(ADDED)));
    }

    @Test
    void aListFollowsThePresentOneDirectly() throws Exception {
        assertRefused(Reason.BAD_NODE_SET, "cannot follow", () -> agreement.propose(first, NEXT, with(NodeList.NONE)));
        assertRefused(Reason.BAD_NODE_SET, "cannot follow", () -> agreement.propose(first, ADDED, with(REMOVED)));
        assertRefused(Reason.NOT_YET, "has list 2", () -> agreement.give(first, ADDED, REMOVED));
        assertRefused(Reason.BAD_NODE_SET, "has list 1", () -> agreement.give(first, OTHER, ADDED));
        agreement.propose(first, ADDED, with(ADDED));
    }

    @Test
    void aMemoryNodeIsAddedByAListOfAnyNumberWhileNobodyUsesIt() throws Exception {
        NodeList list = new NodeList(7, List.of(node("a"), node("b")), node("a"), true);
        assertRefused(
                Reason.BAD_NODE_SET,
                "is used by compute nodes",
                () -> agreement.propose(first, list, with(NodeList.NONE)));
        agreement.propose(first, list, new Present(NodeList.NONE, "", NodeSet.NONE, false));
    }

    @Test
    void anObstacleAndAnotherSetAreSaid() {
        Present busy = new Present(NodeList.NONE, "names move", NodeSet.NONE, true);
        assertRefused(Reason.NOT_YET, "names move", () -> agreement.propose(first, ADDED, busy));
        Present other = new Present(NodeList.NONE, "", NodeSet.of(List.of("a", "x")), true);
        assertRefused(Reason.BAD_NODE_SET, "another set", () -> agreement.propose(first, ADDED, other));
    }

    @Test
    void aSessionThatIsOverGivesNothing() {
        first.disconnected();
        assertRefused(Reason.SESSION_OVER, "takes no list", () -> agreement.give(first, ADDED, NodeList.NONE));
    }
}
