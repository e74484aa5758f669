// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.spi.FabricException;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.Arrays;

/**
 * Sends each successor its grant, one message each: to those that {@link HandOver} finds once the release FAA has returned, and, if a
 * writer knows them already, before the FAA (rule F of docs/protocol.md). Stateless: the state is in {@link CqlLock}. Guarded by the lock's
 * mutex.
 */
final class Successors {
    private Successors() {}

    // ---------------------------------------------------------------- before the release FAA

    /** Before the position is given back, a writer that knows its successors grants them the lock. */
    static void grantBeforehand(CqlLock lock, Effects effects) {
        if (mayPreArm(lock)) {
            preArm(lock, effects);
        }
    }

    private static boolean mayPreArm(CqlLock lock) {
        return lock.position.isExclusive() && lock.env.settings().preArmedHandOver() && !lock.reset.isPending();
    }

    private static void preArm(CqlLock lock, Effects effects) {
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
                    writer ? Arrays.copyOfRange(ahead, 1, ahead.length) : HandOver.NO_ENTRIES,
                    lock.tenure.earliestAfter(i, !writer),
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

    private static boolean isGrantedBeforehand(CqlLock lock, HandOver handOver, int next) {
        return handOver.epoch() == lock.position.epoch() && lock.position.isPreArmed(next);
    }

    // ---------------------------------------------------------------- after the release FAA

    /** A release whose FAA met a reset grants the lock to no successor; the lock is granted in the new epoch (rule B11). */
    static boolean mayGrantAfter(long found) {
        return LockHeader.resetId(found) == 0;
    }

    /**
     * Grants the lock to the positions that a hand-over finds.
     *
     * @param verb number of the READ of the record in its chain
     */
    static void grant(CqlLock lock, HandOver handOver, VerbResults queue, int verb, Effects effects) {
        HandOver.Step step = handOver.evaluate(
                queue,
                verb,
                false,
                (next, entry, words, v) -> grantPosition(lock, handOver, next, entry, words, v, effects));
        if (step == HandOver.Step.REFETCH) {
            new Refetch(lock, handOver, Purpose.REFETCH).start(effects);
        }
    }

    /** Grants the lock to the positions that a hand-over finds, after a release whose FAA was posted alone. */
    static void readAndGrant(CqlLock lock, HandOver handOver, Effects effects) {
        new Refetch(lock, handOver, Purpose.RELEASE).start(effects);
    }

    private static void grantPosition(
            CqlLock lock, HandOver handOver, int next, long entry, VerbResults queue, int verb, Effects effects) {
        if (isGrantedBeforehand(lock, handOver, next)) {
            return;
        }
        boolean writer = QueueEntry.isExclusive(entry);
        long[] followers = writer ? handOver.followers(next + 1, queue, verb) : HandOver.NO_ENTRIES;
        int earliest = handOver.earliest(next + 1, !writer, queue, verb);
        if (!send(lock, handOver.epoch(), next, entry, followers, earliest, effects)
                && QueueEntry.nodeId(entry) != lock.env.nodeId()) {
            lock.requestReset(ResetReason.DEAD_SUCCESSOR, effects);
        }
    }

    private static boolean send(
            CqlLock lock, long ofEpoch, int next, long entry, long[] followers, int earliest, Effects effects) {
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
                        followers));
        return true;
    }

    /**
     * Reads the record after a release whose FAA was posted alone, and again until every relevant entry is filled. It gives up after a
     * limit, and the waiter learns of its grant by its self-check.
     */
    private static final class Refetch extends VerbChain {
        private final CqlLock lock;
        private final HandOver handOver;
        private Purpose why;
        private int attempts;

        Refetch(CqlLock lock, HandOver handOver, Purpose why) {
            super(1);
            this.lock = lock;
            this.handOver = handOver;
            this.why = why;
        }

        void start(Effects effects) {
            lock.refetching++;
            post(effects);
        }

        private void post(Effects effects) {
            if (why == Purpose.REFETCH) {
                lock.env.counters().count(Event.REFETCH);
                attempts++;
            }
            begin(why).read(lock.position.record(), lock.position.words());
            why = Purpose.REFETCH;
            effects.post(this);
        }

        @Override
        public void completed(VerbResults results) {
            lock.event(effects -> {
                boolean current = handOver.epoch() == lock.position.epoch() && !lock.reset.isPending();
                if (!current || attempts > lock.env.settings().refetchLimit()) {
                    end(effects);
                } else if (handOver.evaluate(
                                results,
                                0,
                                true,
                                (next, entry, words, v) ->
                                        grantPosition(lock, handOver, next, entry, words, v, effects))
                        == HandOver.Step.REFETCH) {
                    long pause = lock.env.settings().refetchInterval().toNanos() << Math.min(attempts, 6);
                    effects.run(() -> lock.env.timer().schedule(pause, () -> lock.event(this::post)));
                } else {
                    end(effects);
                }
            });
        }

        private void end(Effects effects) {
            lock.refetching--;
        }

        @Override
        public void failed(FabricException cause) {
            lock.event(this::end);
        }
    }
}
