// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static io.declock.internal.memorynode.NodeParts.moved;
import static io.declock.internal.memorynode.NodeParts.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Verb;
import io.declock.internal.layout.LockHeader;
import io.declock.spi.FabricException;
import io.declock.spi.NodeList;
import io.declock.spi.ValueWriting;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory node "a", from which names move to "c" (rule M4). */
class GivingUpTest {
    private static final NodeList ADDED = new NodeList(1, List.of(node("a"), node("b"), node("c")), node("c"), true);

    private final NodeParts parts = new NodeParts("a");
    private final byte[] leaves = moved(ADDED, "a", "c");
    private final byte[] stays = moved(ADDED, "a", "a");
    private final NodeParts.Answers answers = new NodeParts.Answers();
    private final MemoryNodeSession session = parts.session("service");
    private boolean mayGiveUp;
    private int followed;

    private final GivingUp givingUp = new GivingUp(
            parts.basics,
            parts.current,
            parts.directory,
            parts.allocator,
            parts.mark,
            number -> mayGiveUp,
            () -> followed++);

    @BeforeEach
    void take() {
        parts.record(leaves);
        parts.record(stays);
        parts.current.set(ADDED, List.of());
    }

    @Test
    void namesStayUntilNoComputeNodeUsesThemAnyMore() {
        givingUp.await(session, 1, answers.next());
        assertThat(answers.done).isEmpty();
        assertThat(givingUp.isDone(1)).isFalse();
        assertThat(parts.directory.find(leaves)).isNotNegative();
        mayGiveUp = true;
        givingUp.look();
        assertThat(answers.done).hasSize(1);
        assertThat(givingUp.isDone(1)).isTrue();
        assertThat(parts.directory.find(leaves)).isNegative();
        assertThat(parts.directory.find(stays)).isNotNegative();
    }

    @Test
    void aNameThatLeavesLeavesItsValueBehind() throws Exception {
        store(parts.record(leaves));
        store(parts.record(stays));
        mayGiveUp = true;
        givingUp.look();
        assertThat(parts.basics.values().has(parts.record(stays))).isTrue();
        assertThat(parts.basics.values().count()).isEqualTo(1);
    }

    private void store(int record) throws FabricException.Refused {
        long address = parts.basics.region().recordAddress(record);
        long header = parts.basics.layout().header(address);
        parts.basics.region().execute(Verb.FETCH_AND_ADD, header, LockHeader.acquire(true), 0);
        long epoch = LockHeader.fullEpoch(
                parts.basics.region().read(header),
                parts.basics.region().read(parts.basics.layout().epoch(address)));
        parts.basics.values().write(record, "writer", new ValueWriting(address, epoch, 0, 7, new byte[] {1}));
    }

    @Test
    void theWordLiesAboveEveryEpochOfTheNames() {
        parts.reach(parts.record(leaves), 5_000);
        parts.reach(parts.record(stays), 9_000);
        mayGiveUp = true;
        givingUp.await(session, 1, answers.next());
        assertThat(answers.done).containsExactly(5_001L);
        givingUp.await(session, 1, answers.next());
        assertThat(answers.done).containsExactly(5_001L, 5_001L);
    }

    @Test
    void anEpochThatNoResetCanHaveReachedIsNotPassedOn() {
        parts.reach(parts.record(leaves), HighWaterMark.MAX - 1);
        mayGiveUp = true;
        givingUp.await(session, 1, answers.next());
        assertThat(answers.done).containsExactly(1_001L);
    }

    @Test
    void namesAreGivenUpOncePerList() {
        mayGiveUp = true;
        givingUp.look();
        givingUp.look();
        assertThat(followed).isEqualTo(1);
        parts.current.set(new NodeList(2, List.of(node("a"), node("c")), node("b"), false), List.of());
        givingUp.look();
        assertThat(followed).isEqualTo(2);
    }

    @Test
    void namesThatTheNextListMovesStayUntilItMayGiveThemUp() {
        NodeList next = new NodeList(2, List.of(node("a"), node("b"), node("c"), node("d")), node("d"), true);
        byte[] leavesNext = moved(next, "a", "d");
        int record = parts.record(leavesNext);
        AtomicLong mayGiveUpTo = new AtomicLong(1);
        GivingUp oneByOne = new GivingUp(
                parts.basics,
                parts.current,
                parts.directory,
                parts.allocator,
                parts.mark,
                number -> number <= mayGiveUpTo.get(),
                () -> followed++,
                record);
        oneByOne.look();
        assertThat(parts.directory.find(leaves)).isNegative();
        assertThat(oneByOne.isDone(1)).as("the last record is left").isFalse();

        parts.current.set(next, List.of());
        parts.time.advance(NodeParts.LEASE);
        assertThat(parts.directory.find(leavesNext)).isNotNegative();
        assertThat(oneByOne.isDone(1)).isFalse();

        mayGiveUpTo.set(2);
        oneByOne.look();
        parts.time.advance(NodeParts.LEASE);
        assertThat(parts.directory.find(leavesNext)).isNegative();
        assertThat(oneByOne.isDone(2)).isTrue();
    }

    /** A life that has started since the memory nodes agreed to the next list may get it before it is done. */
    @Test
    void anotherListAnswersThoseThatWaitForTheOneBefore() {
        givingUp.await(session, 1, answers.next());
        parts.current.set(new NodeList(2, List.of(node("a"), node("c")), node("b"), false), List.of());
        givingUp.look();
        assertThat(answers.done).hasSize(1);
        assertThat(givingUp.isDone(2)).isFalse();
    }

    @Test
    void aListThatItDoesNotHaveIsRefused() {
        givingUp.await(session, 2, answers.next());
        assertThat(answers.refused).singleElement().asString().contains("does not have list 2");
    }

    @Test
    void theLastRequestOfASessionIsAnswered() {
        NodeParts.Answers timedOut = new NodeParts.Answers();
        givingUp.await(session, 1, timedOut.next());
        givingUp.await(session, 1, answers.next());
        mayGiveUp = true;
        givingUp.look();
        assertThat(timedOut.done).isEmpty();
        assertThat(answers.done).hasSize(1);
    }
}
