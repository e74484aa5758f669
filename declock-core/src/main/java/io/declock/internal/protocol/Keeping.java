// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbResults;

/**
 * Keeps a position that nobody uses any more, so that the next local caller needs no remote operation (rules K1, K3, K6 and K7 of
 * docs/protocol.md; docs/kept-ownership.md).
 *
 * <ol>
 * <li>If the position is exclusive, one chain WRITEs the own entry, marked as kept, and then moves the head on to the next index of the same slot by a CAS that expects to be
 * alone. So the CAS looks at the header after the mark has landed, and brings the tokens of all indices in between.
 * <li>It succeeded: nobody waited, and every newcomer meets the mark. It failed: somebody waits, and the position is given back when no local caller
 * holds it.
 * <li>If it is shared, one chain sets the readers' mark and then READs the header. If no writer waits there, every writer to come sees the mark.
 * <li>When half of the tokens are used, the first step is done again, while callers go on.
 * <li>A WANTED makes a remote waiter known, as a READ of the queue does.
 * </ol>
 */
final class Keeping {
    private Keeping() {}

    static void start(LockState lock, Effects effects) {
        lock.position.expect(PositionState.HELD);
        if (lock.tenure.isMarked() || lock.isMarking()) {
            return;
        }
        if (!mayMark(lock)) {
            Release.start(lock, effects);
            return;
        }
        lock.env.counters().count(Event.KEPT);
        lock.tenure.beginMark(effects.now());
        if (lock.position.isExclusive()) {
            markEntry(lock, effects);
        } else {
            markReaders(lock, effects);
        }
    }

    /** Brings a kept exclusive position more tokens before it has none left. */
    static void renew(LockState lock, Effects effects) {
        if (lock.tenure.indicesLeft() <= lock.position.layout().capacity() / 2
                && lock.tenure.isMarked()
                && lock.position.isExclusive()
                && !lock.isMarking()
                && mayMark(lock)) {
            lock.tenure.beginMark(effects.now());
            markEntry(lock, effects);
        }
    }

    private static void markEntry(LockState lock, Effects effects) {
        Position position = lock.position;
        int index = position.index();
        long alone = LockHeader.pack(position.epoch(), index, 1, 1);
        long mark = QueueEntry.pack(
                true,
                lock.env.nodeId(),
                lock.env.incarnation(),
                position.layout().version(index),
                position.epoch(),
                QueueEntry.KEPT);
        lock.mark()
                .about(lock.tenure.number())
                .goingBy(alone)
                .use(Step.MARKED, effects)
                .begin(Purpose.KEEP)
                .write(position.layout().entry(position.record(), index), mark)
                .compareAndSwap(
                        position.header(), alone, LockHeader.pack(position.epoch(), next(position, index), 1, 1));
    }

    /** Sets the readers' mark, then looks at the header: a writer that comes later sees the mark (rule K7). */
    private static void markReaders(LockState lock, Effects effects) {
        Position position = lock.position;
        lock.mark()
                .about(lock.tenure.number())
                .use(Step.READERS_MARKED, effects)
                .begin(Purpose.KEEP)
                .write(position.layout().readersMark(position.record()), 1)
                .read(position.header(), 1);
    }

    private static int next(Position position, int index) {
        return index + position.layout().capacity();
    }

    private static boolean mayMark(LockState lock) {
        Position position = lock.position;
        return !lock.isFrozen()
                && !lock.tenure.knowsRemote()
                && (!position.isExclusive()
                        || !lock.isWritingEntry()
                                && next(position, position.index())
                                        < position.layout().indexLimit());
    }

    static void onMarked(LockState lock, VerbResults results, Effects effects) {
        long found = results.value(1);
        boolean alone = isAlone(lock, found);
        Position position = lock.position;
        if (alone) {
            int from = LockHeader.head(found);
            position.moveOn(from, next(position, from));
        }
        onLook(lock, found, alone, effects);
    }

    static void onReadersMarked(LockState lock, VerbResults results, Effects effects) {
        long found = results.value(1);
        onLook(lock, found, hasNoWriter(found), effects);
    }

    /** The header was looked at after the mark. */
    private static void onLook(LockState lock, long found, boolean nobodyWaits, Effects effects) {
        if (!lock.position.is(PositionState.HELD)) {
            return;
        }
        if (lock.mark().isAbout(lock.tenure.number())) {
            if (LockHeader.isInReset(found) || !lock.position.isOfEpoch(found)) {
                Freeze.notice(lock, found, effects);
            } else if (nobodyWaits) {
                lock.tenure.mark(lock.position.index());
            } else {
                lock.tenure.learnWaiter(QueueEntry.NONE, -1, effects.now());
            }
        }
        // A later tenure could not mark its position while this chain was in flight.
        lock.upper.settled(effects);
    }

    private static boolean hasNoWriter(long header) {
        return LockHeader.writers(header) == 0;
    }

    private static boolean isAlone(LockState lock, long found) {
        return found == lock.mark().header();
    }

    // ---------------------------------------------------------------- the wishes of others

    /** Another compute node wants the lock. */
    static void onWanted(LockState lock, PeerMessage wanted, Effects effects) {
        boolean waits = wanted.entries().length > 0;
        if (!isMeant(lock, wanted)) {
            if (!waits) {
                notMeant(lock, wanted, effects);
            }
            return;
        }
        lock.env.counters().count(Event.KEPT_WANTED);
        if (waits) {
            learn(lock, wanted.entries(), effects);
        } else if (!lock.isFrozen() && lock.upper.giveBack(effects)) {
            lock.wish().answerLater(wanted);
        } else {
            WishAnswers.answer(lock, wanted, false, effects);
        }
    }

    private static void learn(LockState lock, long[] entries, Effects effects) {
        // The entry of a writer behind readers is not the next one behind this position.
        long[] ahead = lock.position.isExclusive() ? entries : QueueEntry.NONE;
        lock.tenure.learnWaiter(ahead, QueueEntry.timestamp(entries[0]), effects.now());
        lock.upper.settled(effects);
    }

    /** There is no such position here, or no more: a caller that does not wait may try again once the last one is given back. */
    private static void notMeant(LockState lock, PeerMessage wanted, Effects effects) {
        boolean toReaders = wanted.index() == PeerMessage.EVERY_READER;
        if (toReaders && lock.position.is(PositionState.LEAVING)) {
            lock.wish().answerLater(wanted);
        } else {
            WishAnswers.answer(lock, wanted, toReaders, effects);
        }
    }

    private static boolean isMeant(LockState lock, PeerMessage wanted) {
        Position position = lock.position;
        return position.is(PositionState.HELD)
                && wanted.epoch() == position.epoch()
                && (wanted.index() == PeerMessage.EVERY_READER
                        ? !position.isExclusive()
                        : isKept(lock, wanted.index()));
    }

    /** A newcomer may have seen the index to which the head was moved before this node learns of that. */
    private static boolean isKept(LockState lock, int index) {
        Position position = lock.position;
        return !position.isConverting()
                && (index == position.index()
                        || lock.isMarking(Step.MARKED) && index == next(position, position.index()));
    }
}
