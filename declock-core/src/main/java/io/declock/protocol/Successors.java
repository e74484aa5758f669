// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocol;

import io.declock.fabric.FabricException;
import io.declock.fabric.Member;
import io.declock.fabric.PeerMessage;
import io.declock.fabric.Purpose;
import io.declock.fabric.VerbChain;
import io.declock.fabric.VerbResults;
import io.declock.layout.LockHeader;
import io.declock.layout.QueueEntry;
import io.declock.monitor.Counters.Event;
import java.util.Arrays;

/**
 * Telling the successors that the lock is theirs, one message each: those that {@link HandOver} finds once the release FAA has
 * returned, and, where a writer knows them already, beforehand (rule F of docs/protocol.md). Guarded by the lock's mutex.
 */
final class Successors {
    private final CqlEnvironment env;
    private final CqlLock lock;
    private final Position position;
    private final Tenure tenure;
    private final ResetMember reset;

    private int preArmedFrom;
    private int preArmedEnd;
    private int refetching;

    Successors(CqlEnvironment env, CqlLock lock, Position position, Tenure tenure, ResetMember reset) {
        this.env = env;
        this.lock = lock;
        this.position = position;
        this.tenure = tenure;
        this.reset = reset;
    }

    // ---------------------------------------------------------------- before the release FAA

    /** The position is about to be given back: a writer that knows its successors grants them the lock now. */
    void grantBeforehand(Effects effects) {
        preArmedFrom = position.index() + 1;
        preArmedEnd = 0;
        if (mayPreArm()) {
            preArm(effects);
        }
    }

    private boolean mayPreArm() {
        return position.isExclusive() && env.settings().preArmedHandOver() && !reset.isPending();
    }

    private void preArm(Effects effects) {
        long epoch = position.epoch();
        long[] ahead = tenure.ahead();
        int next = preArmedFrom;
        for (int i = 0; i < ahead.length; i++, next++) {
            long entry = ahead[i];
            if (!QueueEntry.isValid(entry, position.layout().version(next), epoch)) {
                return;
            }
            boolean writer = QueueEntry.isExclusive(entry);
            if (isBehindReaders(writer, i)) {
                return;
            }
            if (!send(
                    epoch,
                    next,
                    entry,
                    writer ? Arrays.copyOfRange(ahead, 1, ahead.length) : HandOver.NO_ENTRIES,
                    tenure.earliestAfter(i, !writer),
                    effects)) {
                return;
            }
            env.counters().count(Event.HAND_OVER_PRE_ARMED);
            preArmedEnd = next + 1;
            if (writer) {
                return;
            }
        }
    }

    private static boolean isBehindReaders(boolean writer, int i) {
        return writer && i > 0;
    }

    private boolean isGrantedBeforehand(HandOver handOver, int next) {
        return next < preArmedEnd && handOver.epoch() == position.epoch() && next >= preArmedFrom;
    }

    /** A reset is over: what was granted beforehand was in another epoch. */
    void forgetPreArmed() {
        preArmedEnd = 0;
    }

    // ---------------------------------------------------------------- after it

    /** An FAA that met a reset gives nothing to anybody: the new epoch will (rule B11). */
    static boolean mayGrantAfter(long found) {
        return LockHeader.resetId(found) == 0;
    }

    /**
     * Grants whom a hand-over finds.
     *
     * @param verb which verb of the chain was the READ of the record
     */
    void grant(HandOver handOver, VerbResults queue, int verb, Effects effects) {
        HandOver.Step step = handOver.evaluate(
                queue, verb, false, (next, entry, words, v) -> grantPosition(handOver, next, entry, words, v, effects));
        if (step == HandOver.Step.REFETCH) {
            new Refetch(handOver, Purpose.REFETCH).start(effects);
        }
    }

    /** Grants whom a hand-over finds, after a release whose FAA was posted alone. */
    void readAndGrant(HandOver handOver, Effects effects) {
        new Refetch(handOver, Purpose.RELEASE).start(effects);
    }

    private void grantPosition(HandOver handOver, int next, long entry, VerbResults queue, int verb, Effects effects) {
        if (isGrantedBeforehand(handOver, next)) {
            return;
        }
        boolean writer = QueueEntry.isExclusive(entry);
        long[] followers = writer ? handOver.followers(next + 1, queue, verb) : HandOver.NO_ENTRIES;
        int earliest = handOver.earliest(next + 1, !writer, queue, verb);
        if (!send(handOver.epoch(), next, entry, followers, earliest, effects)
                && QueueEntry.nodeId(entry) != env.nodeId()) {
            lock.requestReset(ResetReason.DEAD_SUCCESSOR, effects);
        }
    }

    private boolean send(long ofEpoch, int next, long entry, long[] followers, int earliest, Effects effects) {
        Member member = env.membership().byNodeId(QueueEntry.nodeId(entry));
        if (member == null
                || !QueueEntry.sameIncarnation(entry, member.incarnation())
                || member.nodeId() == env.nodeId()) {
            return false;
        }
        env.counters().count(Event.HAND_OVER);
        effects.send(
                member,
                new PeerMessage(
                        PeerMessage.Kind.GRANT,
                        env.memoryNode(),
                        env.nodeId(),
                        env.incarnation(),
                        member.nodeId(),
                        member.incarnation(),
                        position.record(),
                        ofEpoch,
                        next,
                        earliest + 1L,
                        followers));
        return true;
    }

    /** Returns whether a hand-over waits for the queue to be read. */
    boolean isReading() {
        return refetching > 0;
    }

    /**
     * Reads the record after a release whose FAA was posted alone, or again until every entry that matters is filled, or gives up
     * and leaves it to the waiter's self-check.
     */
    private final class Refetch extends VerbChain {
        private final HandOver handOver;
        private Purpose why;
        private int attempts;

        Refetch(HandOver handOver, Purpose why) {
            super(1);
            this.handOver = handOver;
            this.why = why;
        }

        void start(Effects effects) {
            refetching++;
            post(effects);
        }

        private void post(Effects effects) {
            if (why == Purpose.REFETCH) {
                env.counters().count(Event.REFETCH);
                attempts++;
            }
            begin(why).read(position.record(), position.words());
            why = Purpose.REFETCH;
            effects.post(this);
        }

        @Override
        public void completed(VerbResults results) {
            lock.event(effects -> {
                boolean current = handOver.epoch() == position.epoch() && !reset.isPending();
                if (!current || attempts > env.settings().refetchLimit()) {
                    end(effects);
                } else if (handOver.evaluate(
                                results,
                                0,
                                true,
                                (next, entry, words, v) -> grantPosition(handOver, next, entry, words, v, effects))
                        == HandOver.Step.REFETCH) {
                    long pause = env.settings().refetchInterval().toNanos() << Math.min(attempts, 6);
                    effects.run(() -> env.timer().schedule(pause, () -> lock.event(this::post)));
                } else {
                    end(effects);
                }
            });
        }

        private void end(Effects effects) {
            refetching--;
        }

        @Override
        public void failed(FabricException cause) {
            lock.event(this::end);
        }
    }
}
