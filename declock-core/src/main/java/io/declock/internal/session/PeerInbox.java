// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.Counters.Event;
import io.declock.internal.local.LocalLock;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.PeerMessage.Kind;
import org.jspecify.annotations.Nullable;

/** Delivers the peer messages of one session to their locks and to the reset coordinator. Thread-safe. */
final class PeerInbox {
    private final CqlEnvironment session;
    private final ResetCoordinator coordinator;
    private final SessionLocks locks;

    PeerInbox(CqlEnvironment session, ResetCoordinator coordinator, SessionLocks locks) {
        this.session = session;
        this.coordinator = coordinator;
        this.locks = locks;
    }

    void deliver(PeerMessage message) {
        if (message.memoryNode() != session.memoryNode() || message.toNode() != session.nodeId()) {
            session.counters().count(Event.GRANT_IGNORED);
            return;
        }
        if (message.toIncarnation() != session.incarnation()) {
            refuse(message);
            return;
        }
        if (locks.hasDeparted(message.record())) {
            // An answer would say that this node does not hold what it takes along (rule M2).
            return;
        }
        LocalLock lock = locks.at(message.record());
        switch (message.kind()) {
            case GRANT, GRANT_REFUSED, RESET_DONE, RETURNED -> deliverTo(lock, message);
            case WANTED -> {
                if (!deliverTo(lock, message) && message.entries().length == 0) {
                    reply(message, Kind.RETURNED, message.index(), 2 * message.detail() + 1);
                }
            }
            case RESET_SIGNAL -> {
                if (!deliverTo(lock, message)) {
                    reply(message, Kind.RESET_ACK, message.index(), 0);
                }
            }
            case HOLD_QUESTION -> {
                othersAsk(lock, message);
                reply(
                        message,
                        Kind.HOLD_ANSWER,
                        lock == null ? PeerMessage.NO_POSITION : lock.claimIn(message.epoch()),
                        message.detail());
            }
            case HOLD_ANSWER, RESET_ACK -> coordinator.deliver(message);
        }
    }

    private void othersAsk(@Nullable LocalLock lock, PeerMessage question) {
        if (question.fromNode() == session.nodeId()) {
            return;
        }
        coordinator.othersAsk(question.record());
        CqlLock remote = lock == null ? null : lock.remote();
        if (remote != null && remote.record() == question.record()) {
            remote.othersAsk();
        }
    }

    private boolean deliverTo(@Nullable LocalLock lock, PeerMessage message) {
        CqlLock remote = lock == null ? null : lock.remote();
        if (remote == null || remote.record() != message.record()) {
            if (message.kind() == Kind.GRANT) {
                session.counters().count(Event.GRANT_IGNORED);
            }
            return false;
        }
        remote.deliver(message);
        return true;
    }

    /** A grant for an older incarnation must not be accepted; its sender starts a reset (rule C2). */
    private void refuse(PeerMessage message) {
        if (message.kind() == Kind.GRANT) {
            session.counters().count(Event.GRANT_REFUSED);
            reply(message, Kind.GRANT_REFUSED, message.index(), 0);
        }
    }

    private void reply(PeerMessage to, Kind kind, int index, long detail) {
        Member sender = session.membership().byNodeId(to.fromNode());
        if (sender == null || sender.incarnation() != to.fromIncarnation()) {
            return;
        }
        session.send(
                sender,
                new PeerMessage(
                        kind,
                        session.memoryNode(),
                        session.nodeId(),
                        session.incarnation(),
                        sender.nodeId(),
                        sender.incarnation(),
                        to.record(),
                        to.epoch(),
                        index,
                        detail));
    }
}
