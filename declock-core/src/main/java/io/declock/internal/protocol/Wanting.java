// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;

/**
 * Asks for a lock that other compute nodes keep without using it (rules K2 and K7 of docs/protocol.md; docs/kept-ownership.md). Only the first
 * position behind a single exclusive one asks, and the first writer behind readers: who comes later waits behind a waiter that is known.
 */
final class Wanting {
    private Wanting() {}

    // ---------------------------------------------------------------- a position that waits

    /** READs the entry at the head, or the readers' mark, in the chain that writes the own entry, if a position before the own one may be kept. */
    static void lookForMark(LockState lock, VerbChain chain) {
        if (!lock.env.looksForMarks()) {
            return;
        }
        if (lock.wish().hasKeeper()) {
            chain.read(
                    lock.position
                            .layout()
                            .entry(lock.position.record(), lock.wish().keeper()),
                    1);
        }
        lookForReadersMark(lock, chain);
    }

    /** READs the readers' mark if readers before the own position may keep theirs. */
    static void lookForReadersMark(LockState lock, VerbChain chain) {
        if (lock.wish().isBehindReaders()) {
            chain.read(lock.position.layout().readersMark(lock.position.record()), 1);
        }
    }

    /** The entry at the head, or the readers' mark, was read after the FAA that took the own position. */
    static void onMark(LockState lock, long mark, Effects effects) {
        if (!lock.position.is(PositionState.WAITING)) {
            return;
        }
        if (lock.wish().hasKeeper()) {
            tell(lock, lock.wish().keeper(), mark, 0, new long[] {lock.ownEntry()}, effects);
        } else if (lock.wish().isBehindReaders()) {
            tellReaders(lock, mark, effects);
        }
    }

    private static void tellReaders(LockState lock, long mark, Effects effects) {
        lock.wish().seesReadersMark(isMarked(mark));
        if (isMarked(mark)) {
            lock.askUsers(0, new long[] {lock.ownEntry()}, effects);
        }
    }

    /** Returns whether the readers' mark is set: shared positions may be kept. */
    static boolean isMarked(long readersMark) {
        return readersMark != 0;
    }

    /** The writer that has seen the readers' mark is about to hold: nothing is kept by readers any more, nor will be before it has released. */
    static void takeReadersMarkAway(LockState lock, Effects effects) {
        if (lock.position.isExclusive() && lock.hasWish() && lock.wish().hasSeenReadersMark() && !lock.isMarking()) {
            lock.wish().seesReadersMark(false);
            lock.mark()
                    .use(Step.READERS_UNMARKED, effects)
                    .begin(Purpose.KEEP)
                    .write(lock.position.layout().readersMark(lock.position.record()), 0);
        }
    }

    /** A self-check found that the position still waits: the message may have been lost. */
    static void onCheck(LockState lock, LockChain chain, VerbResults record, Effects effects) {
        int head = LockHeader.head(record.word(0, 0));
        if (lock.wish().isBehindReaders() && chain.size() > 1) {
            tellReaders(lock, record.value(1), effects);
            return;
        }
        if (lock.wish().hasKeeper() && lock.position.index() == head + 1) {
            tell(
                    lock,
                    head,
                    record.word(0, 2 + lock.position.layout().slot(head)),
                    0,
                    new long[] {lock.ownEntry()},
                    effects);
        }
    }

    /**
     * Tells the compute node of a marked entry that this one wants the lock; returns whether there is one.
     *
     * @param question what identifies the question of a caller that does not wait
     * @param own entry of the position that waits, or nothing for a caller that does not
     */
    static boolean tell(LockState lock, int index, long entry, long question, long[] own, Effects effects) {
        if (!QueueEntry.isKept(entry, lock.position.epoch())) {
            return false;
        }
        Member keeper = lock.env.membership().byNodeId(QueueEntry.nodeId(entry));
        if (keeper == null
                || !QueueEntry.sameIncarnation(entry, keeper.incarnation())
                || keeper.nodeId() == lock.env.nodeId()) {
            return false;
        }
        effects.send(
                keeper,
                new PeerMessage(
                        PeerMessage.Kind.WANTED,
                        lock.env.memoryNode(),
                        lock.env.nodeId(),
                        lock.env.incarnation(),
                        keeper.nodeId(),
                        keeper.incarnation(),
                        lock.position.record(),
                        lock.position.epoch(),
                        index,
                        question,
                        own));
        return true;
    }
}
