// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbResults;

/**
 * A compute node's part in the reset of a lock, whichever node initiated it (DecLock, section 4.4, step 2; rules B3, B4, B6, B12.1 and B12.2 of
 * docs/protocol.md).
 *
 * <ol>
 *   <li>On the signal the lock is frozen: no local sharing, no hand-over, no grant; a waiter gives up its position.
 * <li>When no FAA, CAS or WRITE of this lock is in flight any more, the node acknowledges: with no hold, a shared hold or an exclusive
 * hold. A hold survives: its release is put off until the new epoch is seen.
 * <li>The node learns of the new epoch by a message, or by a READ.
 * </ol>
 *
 * <p>Guarded by the lock's mutex.
 */
final class ResetMember {
    private final CqlEnvironment env;
    private final CqlLock lock;
    private final Position position;
    private final LockChain probe;

    private boolean pending;
    private boolean acknowledged;
    private boolean unanswered;
    private int initiator;
    private int initiatorIncarnation;
    private boolean polling;
    private int polls;
    private long since;

    ResetMember(CqlEnvironment env, CqlLock lock, Position position, LockChain probe) {
        this.env = env;
        this.lock = lock;
        this.position = position;
        this.probe = probe;
    }

    /** Returns whether the lock is frozen. */
    boolean isPending() {
        return pending;
    }

    /** Returns whether this node has acknowledged a hold, whose release must be put off. */
    boolean keepsHold() {
        return pending && acknowledged;
    }

    void onSignal(PeerMessage signal, Effects effects) {
        if (signal.epoch() < position.epoch()) {
            answer(signal.fromNode(), signal.fromIncarnation(), signal.epoch(), 0, effects);
            return;
        }
        if (signal.epoch() > position.epoch()) {
            lock.onNewEpoch(signal.epoch(), effects);
        }
        freeze();
        initiator = signal.fromNode();
        initiatorIncarnation = signal.fromIncarnation();
        unanswered = true;
        position.abortWaiting();
        poll(effects);
    }

    private void freeze() {
        if (!pending) {
            pending = true;
            acknowledged = false;
            polls = 0;
            since = env.clock().nanoTime();
        }
    }

    /**
     * This node found a header with a reset id, or lost a position to a reset: it awaits the new epoch. The initiator sends its signal in
     * any case.
     */
    private void seen(Effects effects) {
        freeze();
        if (lock.suspicion.takeOccasion()) {
            lock.requestReset(ResetReason.STALLED_RESET, effects);
        }
        position.abortWaiting();
        poll(effects);
    }

    /** Checks a header that another operation returned for signs of a reset. */
    void notice(long header, Effects effects) {
        if (LockHeader.resetId(header) != 0 || !position.isOfEpoch(header)) {
            seen(effects);
        }
    }

    /** Gives the position up, because the node met a reset. */
    void abort(Effects effects) {
        position.to(CqlLock.State.ABORTED);
        seen(effects);
    }

    /** Returns whether a signal is unanswered, so that {@link #acknowledge} must be called after every event. */
    boolean isUnanswered() {
        return unanswered;
    }

    /** Answers the signal if no FAA, CAS or WRITE of this lock is in flight any more. */
    void acknowledge(Effects effects) {
        if (!unanswered || lock.isChanging()) {
            return;
        }
        unanswered = false;
        acknowledged = true;
        answer(initiator, initiatorIncarnation, position.epoch(), position.holdForReset(), effects);
    }

    private void answer(int toNode, int toIncarnation, long epoch, int hold, Effects effects) {
        Member member = env.membership().byNodeId(toNode);
        if (member == null || member.incarnation() != toIncarnation) {
            return;
        }
        effects.send(
                member,
                new PeerMessage(
                        PeerMessage.Kind.RESET_ACK,
                        env.memoryNode(),
                        env.nodeId(),
                        env.incarnation(),
                        toNode,
                        toIncarnation,
                        position.record(),
                        epoch,
                        toNode,
                        hold));
    }

    void over() {
        pending = false;
        acknowledged = false;
        unanswered = false;
    }

    private void poll(Effects effects) {
        if (polling) {
            return;
        }
        polling = true;
        long interval = env.settings().resetPollInterval().toNanos() << Math.min(polls++, 4);
        long delay = interval + env.random().below(interval / 2);
        effects.run(() -> env.timer().schedule(delay, () -> lock.event(this::pollDue)));
    }

    private void pollDue(Effects effects) {
        polling = false;
        if (!pending) {
            return;
        }
        if (!probe.isInFlight()) {
            probe.use(LockChain.Step.EPOCH_POLLED, effects).begin(Purpose.RESET).read(position.header(), 2);
        }
        poll(effects);
    }

    void onPolled(VerbResults results, Effects effects) {
        if (!pending) {
            return;
        }
        long header = results.word(0, 0);
        long full = fullEpoch(header, results.word(0, 1));
        if (full > position.epoch()) {
            lock.onNewEpoch(full, effects);
        } else if (LockHeader.resetId(header) == 0 && full == position.epoch() && !acknowledged) {
            if (lock.isWalled()) {
                lock.requestReset(ResetReason.GUARD, effects);
            } else {
                lock.onNoReset(effects);
            }
        } else if (env.clock().nanoTime() - since
                > env.settings().suspectAfter().toNanos()) {
            since = env.clock().nanoTime();
            lock.requestReset(ResetReason.STALLED_RESET, effects);
        }
    }

    /** The epoch word is written before the header, so it may be one ahead of the header's epoch. */
    static long fullEpoch(long header, long epochWord) {
        boolean same = (epochWord & LockHeader.EPOCH_MASK) == LockHeader.epoch(header);
        return same ? epochWord : epochWord - 1;
    }
}
