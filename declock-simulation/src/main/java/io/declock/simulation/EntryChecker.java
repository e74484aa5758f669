// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Purpose;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.PositionState;
import io.declock.spi.VerbChain;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a waiter does not stay without its entry (rule A3): when a self-check has found the entry missing, because a late WRITE of
 * an earlier position overwrote it, another WRITE of it must be in flight.
 */
final class EntryChecker implements SessionObserver {
    private record Place(SimulatedSession session, long record) {}

    private record Waiting(Place place, long epoch, int index) {}

    private final QueueChecker queue;
    private final RecordLayout layout;
    private final Set<Place> writing = new HashSet<>();
    private final Map<Place, Waiting> checking = new HashMap<>();
    private @Nullable Waiting checked;
    private @Nullable PostedChain seen;

    EntryChecker(QueueChecker queue, RecordLayout layout) {
        this.queue = queue;
        this.layout = layout;
    }

    private Place place(SimulatedSession session, VerbChain chain) {
        return new Place(session, session.life().memory().recordAt(chain.address(0)));
    }

    @Override
    public void posts(SimulatedSession session, VerbChain chain) {
        if (chain.purpose() == Purpose.ENTRY) {
            writing.add(place(session, chain));
        } else if (chain.purpose() == Purpose.SELF_CHECK) {
            Place place = place(session, chain);
            CqlLock remote = session.node().remoteAt(session, place.record);
            if (remote != null) {
                checking.put(place, new Waiting(place, remote.epoch(), remote.index()));
            }
        }
    }

    @Override
    public void answers(SimulatedSession session, PostedChain executed) {
        VerbChain chain = executed.chain();
        if (chain.purpose() == Purpose.ENTRY) {
            writing.remove(place(session, chain));
        } else if (chain.purpose() == Purpose.SELF_CHECK) {
            checked = checking.remove(place(session, chain));
            seen = executed;
        }
    }

    @Override
    public void answered(SimulatedSession session) {
        Waiting waiting = checked;
        PostedChain record = seen;
        checked = null;
        seen = null;
        if (waiting == null || record == null || session.isCut() || !isStillWaiting(waiting)) {
            return;
        }
        long entry = record.word(0, 2 + layout.slot(waiting.index));
        if (!QueueEntry.isValid(entry, layout.version(waiting.index), waiting.epoch)
                && !queue.isWithoutSlot(session, waiting.place.record, record.word(0, 0))
                && !writing.contains(waiting.place)) {
            throw new Violation("entry", session + " waits without an entry at index " + waiting.index);
        }
    }

    private static boolean isStillWaiting(Waiting waiting) {
        SimulatedSession session = waiting.place.session;
        CqlLock remote = session.node().remoteAt(session, waiting.place.record);
        return remote != null
                && remote.state() == PositionState.WAITING
                && remote.epoch() == waiting.epoch
                && remote.index() == waiting.index;
    }
}
