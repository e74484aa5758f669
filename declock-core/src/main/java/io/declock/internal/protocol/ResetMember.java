// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.LockChain.Step;
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
 */
final class ResetMember {
    private ResetMember() {}

    // ---------------------------------------------------------------- the signal

    static void onSignal(LockState lock, PeerMessage signal, Effects effects) {
        if (signal.epoch() < lock.position.epoch()) {
            answer(lock, signal.fromNode(), signal.fromIncarnation(), signal.epoch(), 0, effects);
            return;
        }
        if (signal.epoch() > lock.position.epoch()) {
            onNewEpoch(lock, signal.epoch(), effects);
        }
        lock.freeze();
        lock.signalled(signal.fromNode(), signal.fromIncarnation());
        lock.position.abortWaiting();
        Freeze.poll(lock, effects);
    }

    /** Answers an unanswered signal if no FAA, CAS or WRITE of this lock is in flight any more. */
    static void acknowledge(LockState lock, Effects effects) {
        if (!lock.isUnanswered() || lock.isChanging()) {
            return;
        }
        lock.acknowledge();
        answer(
                lock,
                lock.initiator(),
                lock.initiatorIncarnation(),
                lock.position.epoch(),
                lock.position.holdForReset(),
                effects);
    }

    private static void answer(LockState lock, int toNode, int toIncarnation, long epoch, int hold, Effects effects) {
        Member to = lock.env.membership().byNodeId(toNode);
        if (to != null && to.incarnation() == toIncarnation) {
            effects.send(
                    to, lock.env.message(PeerMessage.Kind.RESET_ACK, to, lock.position.record(), epoch, toNode, hold));
        }
    }

    // ---------------------------------------------------------------- the end

    static void onPollDue(LockState lock, Effects effects) {
        lock.pollDue();
        if (!lock.isFrozen()) {
            return;
        }
        if (!lock.isProbing()) {
            lock.probe().use(Step.EPOCH_POLLED, effects).begin(Purpose.RESET).read(lock.position.header(), 2);
        }
        Freeze.poll(lock, effects);
    }

    static void onPolled(LockState lock, VerbResults results, Effects effects) {
        if (!lock.isFrozen()) {
            return;
        }
        long header = results.word(0, 0);
        long full = LockHeader.fullEpoch(header, results.word(0, 1));
        if (full > lock.position.epoch()) {
            onNewEpoch(lock, full, effects);
        } else if (!LockHeader.isInReset(header) && full == lock.position.epoch() && !lock.hasAcknowledged()) {
            if (lock.isInDoubt()) {
                lock.requestReset(ResetReason.OUTCOME_UNKNOWN, effects);
            } else if (lock.isWalled()) {
                lock.requestReset(ResetReason.GUARD, effects);
            } else {
                onNoReset(lock, effects);
            }
        } else if (lock.isStalled(lock.env.settings().suspectAfter().toNanos())) {
            lock.requestReset(ResetReason.STALLED_RESET, effects);
        }
    }

    /** A reset is over. */
    static void onNewEpoch(LockState lock, long newEpoch, Effects effects) {
        Position position = lock.position;
        if (newEpoch <= position.epoch() || position.is(PositionState.DEAD)) {
            return;
        }
        position.toEpoch(newEpoch);
        lock.env.sawEpoch(newEpoch);
        if (staysInDoubt(lock)) {
            // That reset was over before the operation was posted, and counted nothing of it.
            lock.requestReset(ResetReason.OUTCOME_UNKNOWN, effects);
            return;
        }
        position.forgetPreArmed();
        lock.thaw();
        switch (position.state()) {
            case HELD -> {
                position.toIndex(0);
                lock.tenure.survive(newEpoch);
                lock.upper.settled(effects);
            }
            case PUT_OFF -> {
                position.toIndex(0);
                position.to(PositionState.HELD);
                lock.tenure.forgetRemote();
                Release.start(lock, effects);
            }
            case ABORTED, WAITING -> {
                lock.env.counters().count(Event.RETRY_AFTER_RESET);
                position.to(PositionState.IDLE);
                lock.upper.settled(effects);
            }
            case IDLE -> lock.upper.settled(effects);
            default -> {}
        }
    }

    /** Returns whether an epoch has begun in which an operation of unknown outcome may have been executed. */
    private static boolean staysInDoubt(LockState lock) {
        return lock.isInDoubt() && !lock.hasAcknowledged();
    }

    /** There is no reset after all: the record is in the epoch that this node knows, which it was only about to enter before. */
    private static void onNoReset(LockState lock, Effects effects) {
        if (lock.position.is(PositionState.ABORTED) || lock.position.is(PositionState.IDLE)) {
            lock.thaw();
            lock.position.to(PositionState.IDLE);
            lock.upper.settled(effects);
        }
    }
}
