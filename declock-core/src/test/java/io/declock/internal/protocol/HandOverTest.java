// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import static io.declock.internal.protocol.Words.EPOCH;
import static io.declock.internal.protocol.Words.header;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.layout.LockHeader;
import io.declock.spi.GrantedValue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules A1, A2, A3 and A7 of docs/protocol.md, one by one. */
class HandOverTest {
    private final Words queue = new Words(8);
    private final List<Integer> granted = new ArrayList<>();

    private HandOver.Step release(long found, int ownIndex, boolean exclusive) {
        HandOver handOver = HandOver.afterRelease(queue.layout(), EPOCH, found, ownIndex, exclusive);
        return handOver == null ? HandOver.Step.DONE : evaluate(handOver, false);
    }

    private HandOver released(long found, boolean exclusive) {
        return requireNonNull(HandOver.afterRelease(queue.layout(), EPOCH, found, 4, exclusive));
    }

    private HandOver downgraded(long found) {
        return requireNonNull(HandOver.afterDowngrade(queue.layout(), EPOCH, found, 4));
    }

    private HandOver.Step evaluate(HandOver handOver, boolean refetched) {
        return handOver.evaluate(queue, 0, refetched, (index, entry, words, verb) -> granted.add(index));
    }

    @Test
    void whoReleasesLastHasNobodyToGrant() {
        assertThat(release(header(4, 1, 1), 4, true)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).isEmpty();
    }

    @Test
    void aWriterGrantsTheNextWriterAlone() {
        queue.writer(5).writer(6);
        release(header(4, 3, 3), 4, true);
        assertThat(granted).containsExactly(5);
    }

    @Test
    void aWriterGrantsTheReadersUpToTheNextWriter() {
        queue.reader(5).reader(6).writer(7).reader(8);
        release(header(4, 5, 2), 4, true);
        assertThat(granted).containsExactly(5, 6);
    }

    @Test
    void aWriterWaitsForEntriesToBeFilled() {
        queue.reader(5).reader(7);
        HandOver handOver = released(header(4, 4, 1), true);
        assertThat(evaluate(handOver, false)).isEqualTo(HandOver.Step.REFETCH);
        assertThat(granted).containsExactly(5);
        queue.reader(6).header(header(5, 3, 0));
        assertThat(evaluate(handOver, true)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).as("nobody twice").containsExactly(5, 6, 7);
    }

    @Test
    void aWriterSkipsSlotsThatWereTakenAgain() {
        queue.entry(5, false, queue.layout().version(5) + 1, EPOCH).reader(6);
        assertThat(release(header(4, 3, 1), 4, true)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).containsExactly(6);
    }

    @Test
    void theSuccessorIsTheReturnedHeadPlusOneAndNotTheOwnIndexPlusOne() {
        queue.writer(6);
        release(header(4, 3, 1), 5, false);
        assertThat(granted).as("reader 4 is still there").isEmpty();
        release(header(5, 2, 1), 4, false);
        assertThat(granted).as("reader 4, released after reader 5").containsExactly(6);
    }

    @Test
    void aReaderWithEarlierReadersStillThereHasNoDuty() {
        assertThat(HandOver.afterRelease(queue.layout(), EPOCH, header(4, 3, 1), 5, false))
                .isNull();
    }

    @Test
    void aDowngradeWithNobodyBehindHasNoDuty() {
        assertThat(HandOver.afterDowngrade(queue.layout(), EPOCH, header(4, 1, 1), 4))
                .isNull();
    }

    @Test
    void aReaderLeavesASharedSuccessorAlone() {
        queue.reader(5).writer(6);
        assertThat(release(header(4, 3, 1), 4, false)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).isEmpty();
    }

    @Test
    void anUnfilledSuccessorIsAReaderOnlyWhenAllWritersAreKnown() {
        queue.writer(6);
        HandOver handOver = released(header(4, 3, 1), false);
        assertThat(evaluate(handOver, false)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).as("5 never waited").isEmpty();

        queue.empty(6);
        handOver = released(header(4, 3, 1), false);
        assertThat(evaluate(handOver, false)).isEqualTo(HandOver.Step.REFETCH);
        queue.writer(5).header(header(5, 2, 1));
        assertThat(evaluate(handOver, true)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).containsExactly(5);
    }

    @Test
    void theWriterCountIsTheOneTheFaaReturned() {
        queue.writer(6);
        HandOver handOver = released(header(4, 3, 1), false);
        queue.header(header(5, 9, 5));
        assertThat(evaluate(handOver, true)).as("five writers came later").isEqualTo(HandOver.Step.DONE);
    }

    @Test
    void entriesOfAnEarlierRoundOrEpochAreUnfilled() {
        queue.entry(13, true, queue.layout().version(5), EPOCH);
        assertThat(release(header(12, 2, 1), 12, false)).isEqualTo(HandOver.Step.REFETCH);
        queue.entry(13, true, queue.layout().version(13), EPOCH - 1);
        assertThat(release(header(12, 2, 1), 12, false)).isEqualTo(HandOver.Step.REFETCH);
        assertThat(granted).isEmpty();
    }

    @Test
    void aReaderThatWasOvertakenLeavesTheDutyToOthers() {
        HandOver handOver = released(header(4, 3, 1), false);
        assertThat(evaluate(handOver, false)).isEqualTo(HandOver.Step.REFETCH);
        queue.header(header(6, 1, 1)).writer(5);
        assertThat(evaluate(handOver, true)).as("the head has moved on").isEqualTo(HandOver.Step.DONE);
        assertThat(granted).isEmpty();
    }

    @Test
    void aReaderThatMeetsANewerEntryLeavesTheDutyToOthers() {
        queue.entry(6, false, queue.layout().version(6) + 1, EPOCH);
        assertThat(release(header(4, 3, 1), 4, false)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).isEmpty();
    }

    @Test
    void aResetEndsARefetch() {
        HandOver handOver = released(header(4, 2, 2), true);
        assertThat(evaluate(handOver, false)).isEqualTo(HandOver.Step.REFETCH);
        queue.writer(5).header(LockHeader.inReset(header(5, 1, 1)));
        assertThat(evaluate(handOver, true)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).isEmpty();
    }

    @Test
    void aDowngradeGrantsTheReadersRightBehindAndNoWriter() {
        queue.reader(5).reader(6).writer(7).reader(8);
        evaluate(downgraded(header(4, 5, 2)), false);
        assertThat(granted).containsExactly(5, 6);
        granted.clear();
        queue.writer(5);
        evaluate(downgraded(header(4, 5, 2)), false);
        assertThat(granted).isEmpty();
    }

    private List<Integer> told(HandOver handOver, boolean refetched) {
        List<Integer> told = new ArrayList<>();
        HandOver telling = handOver.telling(new GrantedValue(null));
        telling.evaluate(queue, 0, refetched, (index, entry, words, verb) -> {
            if (telling.valueToTell() != null) {
                told.add(index);
            }
        });
        return told;
    }

    /** Rule V5: what the giver knew is what the next writer, and the readers before it, will see. */
    @Test
    void theNextHoldersAreToldOfTheValue() {
        queue.writer(5).writer(6);
        assertThat(told(released(header(4, 3, 3), true), false)).containsExactly(5);
        queue.reader(5).reader(6).writer(7);
        assertThat(told(released(header(4, 4, 2), true), false)).containsExactly(5, 6);
        assertThat(told(downgraded(header(4, 4, 2)), false)).containsExactly(5, 6);
    }

    @Test
    void aReaderThatReleasesLastTellsTheNextWriterOfTheValue() {
        queue.writer(6);
        assertThat(told(released(header(5, 2, 1), false), false))
                .as("released after reader 5")
                .containsExactly(6);
    }

    /** Rule V5: writer 5 was granted the lock beforehand, and has stored another value since. */
    @Test
    void nobodyIsToldOfTheValueBehindAnotherWriter() {
        queue.writer(6);
        assertThat(told(released(header(5, 2, 2), true), false)).isEmpty();
        assertThat(evaluate(released(header(5, 2, 2), true), false)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).containsExactly(6);
    }

    /** Rule V5: position 5 had the lock and left it, perhaps as a writer, before its entry was seen. */
    @Test
    void nobodyIsToldOfTheValueBehindAPositionThatHasLeft() {
        queue.entry(5, false, queue.layout().version(5) + 1, EPOCH).writer(6);
        assertThat(told(released(header(4, 3, 2), true), false)).isEmpty();
    }

    /** The writer before them could not see those readers that had no slot then (rule A9). */
    @Test
    void aReaderGrantsTheReadersThatFollowIfThereAreMorePositionsThanSlots() {
        int more = queue.layout().capacity() + 4;
        queue.reader(5).reader(6).writer(7).header(header(5, more - 1, 1));
        release(header(4, 4, 1), 4, false);
        assertThat(granted).isEmpty();
        release(header(4, more, 1), 4, false);
        assertThat(granted).containsExactly(5, 6);
    }

    @Test
    void aWriterDoesNotWaitForEntriesThatHaveNoSlotYet() {
        int capacity = queue.layout().capacity();
        for (int index = 5; index < 5 + capacity; index++) {
            queue.reader(index);
        }
        queue.header(header(5, capacity + 4, 0));
        assertThat(release(header(4, capacity + 5, 1), 4, true)).isEqualTo(HandOver.Step.DONE);
        assertThat(granted).hasSize(capacity);
    }
}
