// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.spi.PeerMessage;
import io.declock.spi.PeerMessage.Kind;
import org.junit.jupiter.api.Test;

/**
 * Nobody is granted anything by a node that knows of a reset (rules B11 and B12.3). Elsewhere other rules make up for it if one of
 * these two is broken, so that no run of the simulation shows it; here it is seen.
 */
class GrantsInResetTest {
    private static final int INITIATOR = 4;
    private final DrivenLock driven = new DrivenLock();

    private static long header(int head, int size, int writers) {
        return LockHeader.pack(DrivenLock.EPOCH, head, size, writers);
    }

    private static long headerInReset(int head, int size, int writers) {
        return LockHeader.inReset(header(head, size, writers));
    }

    /** Holds index 0 for writing; node 2 waits at index 1 for writing, and its entry is there. */
    private Words holdWithAWriterBehind() {
        driven.ask(effects -> driven.lock.acquire(true, 0, effects));
        driven.complete(Purpose.ACQUIRE, header(0, 0, 0));
        driven.assertState(PositionState.HELD);
        return writerOfNode2();
    }

    private static Words writerOfNode2() {
        Words queue = new Words(8);
        long entry = QueueEntry.pack(true, 2, 7, queue.layout().version(1), DrivenLock.EPOCH, 1);
        return queue.header(header(1, 1, 1)).raw(1, entry);
    }

    @Test
    void aReleaseGrantsTheNextWriter() {
        Words queue = holdWithAWriterBehind();
        driven.ask(driven.lock::release);
        driven.complete(Purpose.RELEASE, header(0, 2, 2), queue);
        assertThat(driven.sent(Kind.GRANT)).singleElement().satisfies(grant -> {
            assertThat(grant.toNode()).isEqualTo(2);
            assertThat(grant.index()).isEqualTo(1);
            assertThat(grant.epoch()).isEqualTo(DrivenLock.EPOCH);
        });
    }

    @Test
    void aReleaseWhoseFaaMeetsAResetGrantsNobody() {
        Words queue = holdWithAWriterBehind();
        driven.ask(driven.lock::release);
        driven.complete(Purpose.RELEASE, headerInReset(0, 2, 2), queue);
        assertThat(driven.sent).isEmpty();
        assertThat(driven.posted)
                .as("nor is the queue read again to find somebody")
                .isEmpty();
        assertThat(driven.lock.isFrozen()).isTrue();
    }

    @Test
    void aRequeueWhoseFaaMeetsAResetGrantsNobody() {
        Words queue = holdWithAWriterBehind();
        driven.ask(effects -> driven.lock.requeue(true, 0, effects));
        driven.complete(Purpose.REQUEUE, headerInReset(0, 2, 2), queue);
        assertThat(driven.sent).isEmpty();
        driven.assertState(PositionState.ABORTED);
    }

    /** Waits at index 1, and is granted it with the news that node 3 waits behind, while its own entry is still on its way. */
    private void holdKnowingTheSuccessor() {
        driven.ask(effects -> driven.lock.acquire(true, 0, effects));
        driven.complete(Purpose.ACQUIRE, header(0, 1, 1));
        driven.assertState(PositionState.WAITING);
        driven.receive(Kind.GRANT, 2, DrivenLock.EPOCH, 1, driven.entry(true, 3, 2));
        driven.assertState(PositionState.HELD);
    }

    @Test
    void aWriterThatKnowsItsSuccessorGrantsItBeforehand() {
        holdKnowingTheSuccessor();
        driven.ask(driven.lock::release);
        assertThat(driven.sent(Kind.GRANT)).singleElement().satisfies(grant -> {
            assertThat(grant.toNode()).isEqualTo(3);
            assertThat(grant.index()).isEqualTo(2);
        });
    }

    @Test
    void aWriterGrantsNobodyBeforehandOnceAResetWasSignalled() {
        holdKnowingTheSuccessor();
        driven.receive(Kind.RESET_SIGNAL, INITIATOR, DrivenLock.EPOCH, INITIATOR);
        assertThat(driven.sent(Kind.RESET_ACK)).as("its entry is in flight").isEmpty();
        driven.ask(driven.lock::release);
        assertThat(driven.sent).isEmpty();
        driven.complete(Purpose.ENTRY, 0);
        driven.complete(Purpose.RELEASE, headerInReset(1, 2, 2), writerOfNode2());
        assertThat(driven.sent).singleElement().satisfies(ack -> {
            assertThat(ack.kind()).isEqualTo(Kind.RESET_ACK);
            assertThat(ack.detail()).as("it holds nothing any more").isZero();
        });
    }

    @Test
    void aHoldThatWasAcknowledgedIsReleasedInTheNewEpoch() {
        holdKnowingTheSuccessor();
        driven.complete(Purpose.ENTRY, 0);
        driven.receive(Kind.RESET_SIGNAL, INITIATOR, DrivenLock.EPOCH, INITIATOR);
        assertThat(driven.sent(Kind.RESET_ACK)).extracting(PeerMessage::detail).containsExactly(2L);
        driven.ask(driven.lock::release);
        driven.assertState(PositionState.PUT_OFF);
        assertThat(driven.posted).isEmpty();
        driven.receive(Kind.RESET_DONE, INITIATOR, DrivenLock.EPOCH + 1, INITIATOR);
        driven.assertState(PositionState.LEAVING);
        assertThat(driven.sent(Kind.GRANT))
                .as("what was known of the queue is of the old epoch")
                .isEmpty();
        assertThat(driven.highestEpoch)
                .as("a memory node that starts again must begin above it")
                .isEqualTo(DrivenLock.EPOCH + 1);
    }
}
