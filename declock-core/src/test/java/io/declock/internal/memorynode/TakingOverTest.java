// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static io.declock.internal.memorynode.NodeParts.moved;
import static io.declock.internal.memorynode.NodeParts.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.spi.GivenUp;
import io.declock.spi.NodeList;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory node "c", which takes names over from "a" and "b" (rules M4 and M5). */
class TakingOverTest {
    private static final NodeList ADDED = new NodeList(1, List.of(node("a"), node("b"), node("c")), node("c"), true);
    private static final NodeList REMOVED = new NodeList(2, List.of(node("a"), node("c")), node("b"), false);

    private final NodeParts parts = new NodeParts("c");
    private final MembersInMemory place = new MembersInMemory();
    private final byte[] ofA = moved(ADDED, "a", "c");
    private final byte[] ofB = moved(ADDED, "b", "c");
    private final NodeParts.Answers answers = new NodeParts.Answers();
    private final MemoryNodeSession session = parts.session("service");
    private final List<String> events = new ArrayList<>();
    private TakingOver takingOver = make();

    private TakingOver make() {
        return new TakingOver(
                parts.basics,
                parts.current,
                place.nextLife(),
                parts.mark,
                () -> new Claims(parts.basics, parts.directory, parts.allocator, parts.mark));
    }

    @BeforeEach
    void take() {
        assertThat(takingOver.begin(new KeptNodes(ADDED, List.of("a", "b")))).isTrue();
    }

    private boolean park(byte[] name, String what) {
        return takingOver.park(name, () -> events.add(what), () -> events.add("too many"));
    }

    @Test
    void resolutionsWaitForTheWordOfTheirSource() {
        assertThat(park(ofA, "of a")).isTrue();
        assertThat(park(ofB, "of b")).isTrue();
        assertThat(events).isEmpty();
        takingOver.heard(new GivenUp("a", 1, 3_000), answers.next());
        assertThat(events).containsExactly("of a");
        assertThat(answers.done).containsExactly(3_001L);
        assertThat(parts.current.awaited()).containsExactly("b");
        assertThat(park(ofA, "later")).isFalse();
    }

    @Test
    void aHoldIsTakenOverUntilTheWordComesAndThenWritten() throws Exception {
        long record = takingOver.restore(session, ofA, true, 1_500);
        takingOver.heard(new GivenUp("a", 1, 3_000), answers.next());
        assertThat(parts.basics.region().read(parts.basics.layout().epoch(record)))
                .isEqualTo(3_001);
        assertThatThrownBy(() -> takingOver.restore(session, ofA, true, 1_500))
                .hasMessageContaining("takes no hold over any more");
    }

    @Test
    void aWordThatCannotBeKeptOpensNothingAndMayBeRepeated() {
        place.fail("the disk is full");
        park(ofA, "of a");
        takingOver.heard(new GivenUp("a", 1, 3_000), answers.next());
        assertThat(answers.refused).singleElement().asString().contains("the disk is full");
        assertThat(events).isEmpty();
        assertThat(parts.current.awaited()).containsExactly("a", "b");
        place.fail("");
        takingOver.heard(new GivenUp("a", 1, 3_000), answers.next());
        assertThat(events).containsExactly("of a");
    }

    @Test
    void theSourcesThatAreLeftAreKeptForTheNextLife() {
        takingOver.heard(new GivenUp("a", 1, 3_000), answers.next());
        parts.current.begin(place.nextLife().former().nodes());
        takingOver = make();
        assertThat(park(ofA, "of a")).isFalse();
        assertThat(park(ofB, "of b")).isTrue();
    }

    @Test
    void aLaterListAnswersForWhatWasTakenOverByAnEarlierOne() {
        takingOver.heard(new GivenUp("a", 1, 3_000), answers.next());
        takingOver.heard(new GivenUp("b", 1, 3_500), answers.next());
        assertThat(takingOver.begin(new KeptNodes(REMOVED, List.of("b")))).isTrue();
        takingOver.heard(new GivenUp("a", 1, 3_000), answers.next());
        assertThat(answers.done).containsExactly(3_001L, 3_501L, 3_001L);
        takingOver.heard(new GivenUp("a", 3, 3_000), answers.next());
        assertThat(answers.refused).singleElement().asString().contains("heard of list 3");
    }

    /** A compute node that is late asks for what it had restored by the earlier list: its record has the epoch of that. */
    @Test
    void aLaterWordOfTheSameSourceDoesNotChangeTheEpochOfAnEarlierOne() {
        takingOver.heard(new GivenUp("a", 1, 3_000), answers.next());
        assertThat(takingOver.begin(new KeptNodes(REMOVED, List.of("a", "b")))).isTrue();
        takingOver.heard(new GivenUp("a", 2, 5_000), answers.next());
        takingOver.heard(new GivenUp("a", 1, 3_000), answers.next());
        assertThat(answers.done).containsExactly(3_001L, 5_001L, 3_001L);
    }

    @Test
    void anEarlierListChangesNothing() {
        assertThat(takingOver.begin(new KeptNodes(REMOVED, List.of("b")))).isTrue();
        assertThat(takingOver.begin(new KeptNodes(ADDED, List.of("a", "b")))).isFalse();
        assertThat(takingOver.begin(new KeptNodes(REMOVED, List.of()))).isFalse();
        assertThat(parts.current.list()).isEqualTo(REMOVED);
        assertThat(parts.current.awaited()).containsExactly("b");
    }

    @Test
    void asManyResolutionsWaitAsInAGrace() {
        for (int i = 0; i < Grace.MOST_PARKED; i++) {
            park(ofA, "of a");
        }
        assertThat(park(ofA, "of a")).isTrue();
        assertThat(events).containsExactly("too many");
        assertThat(park(ofB, "of b")).isTrue();
        assertThat(events).hasSize(1);
    }
}
