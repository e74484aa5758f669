// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.GrantedValue;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbResults;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Sends each successor its grant, one message each: to those that {@link HandOver} finds once the release FAA has returned, and, if a
 * writer knows them already, before the FAA (rule F of docs/protocol.md).
 */
final class Successors {
    private Successors() {}

    // ---------------------------------------------------------------- before the release FAA

    /** Before the position is given back, a writer that knows its successors grants them the lock. */
    static void grantBeforehand(LockState lock, Effects effects) {
        if (mayPreArm(lock)) {
            preArm(lock, effects);
        }
    }

    private static boolean mayPreArm(LockState lock) {
        return lock.position.isExclusive()
                && lock.env.settings().preArmedHandOver()
                && !lock.isFrozen()
                && !lock.upper.mayStoreYet()
                // A successor may set the readers' mark, which this node is taking away (rule K7).
                && !lock.isMarking();
    }

    private static void preArm(LockState lock, Effects effects) {
        long epoch = lock.position.epoch();
        long[] ahead = lock.tenure.ahead();
        int next = lock.position.indexLeft() + 1;
        for (int i = 0; i < ahead.length; i++, next++) {
            long entry = ahead[i];
            if (!QueueEntry.isValid(entry, lock.position.layout().version(next), epoch)) {
                return;
            }
            boolean writer = QueueEntry.isExclusive(entry);
            if (isBehindReaders(writer, i)) {
                return;
            }
            if (!send(
                    lock,
                    epoch,
                    next,
                    entry,
                    writer ? Arrays.copyOfRange(ahead, 1, ahead.length) : QueueEntry.NONE,
                    lock.tenure.earliestAfter(i, !writer),
                    lock.position.valueLeft(),
                    effects)) {
                return;
            }
            lock.env.counters().count(Event.HAND_OVER_PRE_ARMED);
            lock.position.preArmedUpTo(next);
            if (writer) {
                return;
            }
        }
    }

    private static boolean isBehindReaders(boolean writer, int i) {
        return writer && i > 0;
    }

    private static boolean isGrantedBeforehand(LockState lock, HandOver handOver, int next) {
        return handOver.epoch() == lock.position.epoch() && lock.position.isPreArmed(next);
    }

    // ---------------------------------------------------------------- after the release FAA

    /** A release whose FAA met a reset grants the lock to no successor; the lock is granted in the new epoch (rule B11). */
    static boolean mayGrantAfter(long found) {
        return !LockHeader.isInReset(found);
    }

    /**
     * Grants the lock to the positions that a hand-over finds.
     *
     * @param verb number of the READ of the record in its chain
     */
    static void grant(LockState lock, HandOver handOver, VerbResults queue, int verb, Effects effects) {
        if (isUndecided(lock, handOver, queue, verb, false, effects)) {
            begin(lock, handOver, Purpose.REFETCH, effects);
        }
    }

    /** Grants the lock to the positions that a READ shows; returns whether the record must be read again. */
    private static boolean isUndecided(
            LockState lock, HandOver handOver, VerbResults queue, int verb, boolean refetched, Effects effects) {
        return handOver.evaluate(
                        queue,
                        verb,
                        refetched,
                        (next, entry, words, v) -> grantPosition(lock, handOver, next, entry, words, v, effects))
                == HandOver.Step.REFETCH;
    }

    /** Grants the lock to the positions that a hand-over finds, after a release whose FAA was posted alone. */
    static void readAndGrant(LockState lock, HandOver handOver, Effects effects) {
        begin(lock, handOver, Purpose.RELEASE, effects);
    }

    private static void grantPosition(
            LockState lock, HandOver handOver, int next, long entry, VerbResults queue, int verb, Effects effects) {
        if (isGrantedBeforehand(lock, handOver, next)) {
            return;
        }
        boolean writer = QueueEntry.isExclusive(entry);
        long[] followers = writer ? handOver.followers(next + 1, queue, verb) : QueueEntry.NONE;
        int earliest = handOver.earliest(next + 1, !writer, queue, verb);
        if (!send(lock, handOver.epoch(), next, entry, followers, earliest, handOver.valueToTell(), effects)
                && QueueEntry.nodeId(entry) != lock.env.nodeId()) {
            lock.requestReset(ResetReason.DEAD_SUCCESSOR, effects);
        }
    }

    private static boolean send(
            LockState lock,
            long ofEpoch,
            int next,
            long entry,
            long[] followers,
            int earliest,
            @Nullable GrantedValue value,
            Effects effects) {
        Member member = lock.env.membership().byNodeId(QueueEntry.nodeId(entry));
        if (member == null
                || !QueueEntry.sameIncarnation(entry, member.incarnation())
                || member.nodeId() == lock.env.nodeId()) {
            return false;
        }
        lock.env.counters().count(Event.HAND_OVER);
        effects.send(
                member,
                new PeerMessage(
                        PeerMessage.Kind.GRANT,
                        lock.env.memoryNode(),
                        lock.env.nodeId(),
                        lock.env.incarnation(),
                        member.nodeId(),
                        member.incarnation(),
                        lock.position.record(),
                        ofEpoch,
                        next,
                        earliest + 1L,
                        followers,
                        value));
        return true;
    }

    // ---------------------------------------------------------------- another READ of the queue

    private static void begin(LockState lock, HandOver handOver, Purpose why, Effects effects) {
        lock.countRefetching(1);
        read(lock, new Refetch(lock.events, handOver, why), effects);
    }

    /** Posts the next READ. */
    static void read(LockState lock, Refetch refetch, Effects effects) {
        Purpose why = refetch.nextPurpose();
        if (why == Purpose.REFETCH) {
            lock.env.counters().count(Event.REFETCH);
        }
        refetch.use(Step.REFETCHED, effects).begin(why).read(lock.position.record(), lock.position.words());
    }

    static void onRead(LockState lock, Refetch refetch, VerbResults results, Effects effects) {
        HandOver handOver = refetch.handOver();
        boolean current = handOver.epoch() == lock.position.epoch() && !lock.isFrozen();
        if (current
                && !refetch.hasRepeatedBeyond(lock.env.settings().refetchLimit())
                && isUndecided(lock, handOver, results, 0, true, effects)) {
            lock.pause(
                    refetch, refetch.pause(lock.env.settings().refetchInterval().toNanos()), effects);
        } else {
            lock.countRefetching(-1);
        }
    }

    /** A READ failed: the waiters learn of their grants by their self-checks. */
    static void onReadFailed(LockState lock) {
        lock.countRefetching(-1);
    }
}
