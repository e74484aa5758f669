// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.PositionState;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;

/**
 * Checks grant messages, and the answers that say which node holds a lock: a position is granted to the process that took it and to no later owner of its node id (rule C2), and no grant
 * is based on a header that is being reset, neither after an FAA that found a reset (rule B11) nor in advance by a holder that knows of a
 * reset (rules F and B12.3).
 */
final class GrantChecker implements SessionObserver {
    private final QueueChecker queue;
    private boolean metReset;

    GrantChecker(QueueChecker queue) {
        this.queue = queue;
    }

    @Override
    public void answers(SimulatedSession session, PostedChain executed) {
        metReset = executed.chain().verb(0) == Verb.FETCH_AND_ADD && LockHeader.isInReset(executed.word(0, 0));
    }

    @Override
    public void answered(SimulatedSession session) {
        metReset = false;
    }

    @Override
    public void sends(SimulatedSession session, Member to, PeerMessage message) {
        if (message.kind() == PeerMessage.Kind.HOLD_ANSWER && message.index() == PeerMessage.HOLDS) {
            checkHolds(session, message);
        }
        if (message.kind() != PeerMessage.Kind.GRANT || session.isCut()) {
            return;
        }
        checkAddressee(session, to, message);
        if (metReset) {
            throw new Violation("grant", session + " found a reset and sends " + message);
        }
        CqlLock remote = session.node().remoteAt(session, message.record());
        if (remote != null && remote.isFrozen() && queue.holdsBefore(session, message.record(), message.index())) {
            throw new Violation("grant", session + " knows of a reset and grants in advance " + message);
        }
    }

    /** A waiter claims its position, but does not hold the lock (rule B10). */
    private static void checkHolds(SimulatedSession session, PeerMessage answer) {
        CqlLock remote = session.node().remoteAt(session, answer.record());
        if (remote != null && remote.state() == PositionState.WAITING) {
            throw new Violation("claim", session + " only waits and answers " + answer);
        }
    }

    private void checkAddressee(SimulatedSession session, Member to, PeerMessage message) {
        SimulatedSession taker = queue.takerOf(session, message.record(), message.epoch(), message.index());
        if (taker != null
                && (taker.joined().nodeId() != to.nodeId() || taker.joined().incarnation() != to.incarnation())) {
            throw new Violation(
                    "grant", session + " grants to " + to + " a position that " + taker + " took: " + message);
        }
    }
}
