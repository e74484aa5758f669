// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.spi.GrantedValue;
import io.declock.spi.PeerMessage;
import io.declock.spi.PeerMessage.Kind;
import io.declock.spi.StoredValue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which grants tell of the lock's value, and which are believed (rule V5). */
class ValuesInGrantsTest {
    private static final GrantedValue ONE = new GrantedValue(new StoredValue(7, "writer", new byte[] {1}));
    private static final GrantedValue NONE = new GrantedValue(null);

    private final DrivenLock driven = new DrivenLock();

    private static long header(int head, int size, int writers) {
        return LockHeader.pack(DrivenLock.EPOCH, head, size, writers);
    }

    /** Waits at index 1 behind node 2. */
    private void waiting() {
        driven.ask(effects -> driven.lock.acquire(true, 0, effects));
        driven.complete(Purpose.ACQUIRE, header(0, 1, 1));
        driven.complete(Purpose.ENTRY, 0);
        driven.assertState(PositionState.WAITING);
    }

    /** Holds index 1, and knows that node 3 waits behind for writing. */
    private void holdKnowingTheSuccessor() {
        waiting();
        driven.receive(Kind.GRANT, 2, DrivenLock.EPOCH, 1, driven.entry(true, 3, 2));
        driven.assertState(PositionState.HELD);
    }

    private List<GrantedValue> toldTo(int node) {
        return driven.sent(Kind.GRANT).stream()
                .filter(grant -> grant.toNode() == node)
                .map(PeerMessage::value)
                .toList();
    }

    @Test
    void aGrantBeforehandTellsOfTheValue() {
        holdKnowingTheSuccessor();
        driven.known = ONE;
        driven.ask(driven.lock::release);
        assertThat(toldTo(3)).containsExactly(ONE);
    }

    @Test
    void aGrantAfterTheReleaseTellsWhatWasKnownAtTheRelease() {
        driven.ask(effects -> driven.lock.acquire(true, 0, effects));
        driven.complete(Purpose.ACQUIRE, header(0, 0, 0));
        driven.known = NONE;
        driven.ask(driven.lock::release);
        driven.known = ONE;
        Words queue = new Words(8);
        long entry = QueueEntry.pack(true, 2, 7, queue.layout().version(1), DrivenLock.EPOCH, 1);
        driven.complete(
                Purpose.RELEASE, header(0, 2, 2), queue.header(header(1, 1, 1)).raw(1, entry));
        assertThat(toldTo(2)).containsExactly(NONE);
    }

    /** A store of the holder that has lost the lock is under way: its successor must not hold before the release FAA. */
    @Test
    void nothingIsGrantedBeforehandWhileAValueMayBeStoredYet() {
        holdKnowingTheSuccessor();
        driven.isStoring = true;
        driven.ask(driven.lock::release);
        assertThat(driven.sent(Kind.GRANT)).isEmpty();
        driven.assertState(PositionState.LEAVING);
    }

    @Test
    void theGrantThatIsAcceptedIsBelieved() {
        waiting();
        driven.receiveGrant(2, DrivenLock.EPOCH, 1, ONE);
        driven.assertState(PositionState.HELD);
        assertThat(driven.told).containsExactly(ONE);
    }

    @Test
    void noOtherGrantIsBelieved() {
        waiting();
        driven.receiveGrant(2, DrivenLock.EPOCH - 1, 1, ONE);
        driven.receiveGrant(2, DrivenLock.EPOCH, 2, ONE);
        driven.receive(Kind.GRANT, 2, DrivenLock.EPOCH, 1);
        driven.assertState(PositionState.HELD);
        driven.receiveGrant(2, DrivenLock.EPOCH, 1, ONE);
        assertThat(driven.told)
                .as("of another epoch, another index, and after the grant")
                .isEmpty();
    }
}
