// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.spi.PeerMessage;

/**
 * Asks for a lock that is kept without a user, on behalf of a caller that does not wait in the queue: one that must not wait, or a reader that
 * wants to be the writer (rule K4 of docs/protocol.md). The caller tries once more when all that were asked have answered that they keep nothing
 * any more, and is refused as soon as one answers that it uses the lock, or when answers are missing after the time of a waiter's rarest self-checks.
 */
final class Asking {
    /** What follows for the caller. */
    enum Outcome {
        /** Nothing: answers are missing. */
        WAIT,
        /** The caller tries once more. */
        AGAIN,
        /** The caller is refused. */
        REFUSED
    }

    /** In self-check intervals: a process that pauses for a moment answers late. */
    private static final int PATIENCE = 16;

    private Asking() {}

    /** Returns whether the lock that a header shows as taken may be kept without a user. It is asked for once. */
    static boolean mayAsk(LockState lock, long header) {
        return lock.env.looksForMarks()
                && !lock.wish().hasAsked()
                && !lock.isFrozen()
                && lock.position.mayCas(header)
                && (Wish.mayBeKept(header) || Wish.hasOnlyReaders(header));
    }

    /** Returns the address of the word that tells whether the lock is kept. */
    static long mark(LockState lock, long header) {
        Position position = lock.position;
        return Wish.hasOnlyReaders(header)
                ? position.layout().readersMark(position.record())
                : position.layout().entry(position.record(), LockHeader.head(header));
    }

    /** That word was read: asks whoever keeps the lock; returns whether there is somebody to ask. */
    static boolean onMark(LockState lock, long header, long mark, Effects effects) {
        long question = lock.wish().ask();
        if (lock.isFrozen() || !ask(lock, header, mark, question, effects)) {
            lock.wish().answered();
            return false;
        }
        long patience = PATIENCE * lock.env.settings().selfCheckInterval().toNanos();
        effects.run(() -> lock.env.timer().schedule(patience, () -> lock.events.answersDue(question)));
        return true;
    }

    private static boolean ask(LockState lock, long header, long mark, long question, Effects effects) {
        if (Wish.hasOnlyReaders(header)) {
            if (Wanting.isMarked(mark)) {
                lock.askUsers(question, QueueEntry.NONE, effects);
                return true;
            }
            return false;
        }
        lock.wish().expect(1);
        return Wanting.tell(lock, LockHeader.head(header), mark, question, QueueEntry.NONE, effects);
    }

    /** So many users were asked. */
    static Outcome onUsersAsked(LockState lock, long question, int users) {
        if (!awaits(lock, question)) {
            return Outcome.WAIT;
        }
        lock.wish().expect(users);
        return outcome(lock);
    }

    /** One that was asked has given its position back, has none, or uses it. */
    static Outcome onReturned(LockState lock, PeerMessage answer) {
        if (answer.epoch() != lock.position.epoch() || !awaits(lock, answer.detail() >> 1)) {
            return Outcome.WAIT;
        }
        if ((answer.detail() & 1) == 0) {
            lock.wish().answered();
            return Outcome.REFUSED;
        }
        lock.wish().countAnswer();
        return outcome(lock);
    }

    private static Outcome outcome(LockState lock) {
        if (!lock.wish().hasAllAnswers()) {
            return Outcome.WAIT;
        }
        lock.wish().answered();
        return lock.isFrozen() ? Outcome.REFUSED : Outcome.AGAIN;
    }

    /** The answers should have come by now: if some are missing, the lock counts as taken. */
    static Outcome onAnswersDue(LockState lock, long question) {
        if (!awaits(lock, question)) {
            return Outcome.WAIT;
        }
        lock.wish().answered();
        return Outcome.REFUSED;
    }

    private static boolean awaits(LockState lock, long question) {
        return isAsking(lock) && lock.wish().awaitsAnswerTo(question);
    }

    private static boolean isAsking(LockState lock) {
        return lock.position.is(PositionState.TRYING)
                || lock.position.is(PositionState.HELD) && lock.position.isConverting();
    }
}
