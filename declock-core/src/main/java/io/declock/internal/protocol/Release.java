// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import org.jspecify.annotations.Nullable;

/**
 * Gives the position back with one FAA (DecLock, section 4.2, workflows 3 to 5), or gives it back and takes one at the tail with the same
 * FAA.
 */
final class Release {
    private Release() {}

    static void start(LockState lock, Effects effects) {
        lock.position.expect(PositionState.HELD);
        if (lock.keepsHold()) {
            lock.position.to(PositionState.PUT_OFF);
            return;
        }
        boolean read =
                lock.tenure.isReadWorthIt(lock.env.settings().releaseRead(), lock.env.isChainOneRequest(), effects);
        leave(lock, effects);
        lock.position.to(PositionState.LEAVING);
        VerbChain chain = lock.op
                .use(Step.RELEASED, effects)
                .begin(Purpose.RELEASE)
                .fetchAndAdd(lock.position.header(), LockHeader.release(lock.position.wasExclusive()));
        if (read) {
            chain.read(lock.position.record(), lock.position.words());
        }
    }

    static void startRequeue(LockState lock, boolean exclusive, int timestamp, Effects effects) {
        lock.position.expect(PositionState.HELD);
        leave(lock, effects);
        lock.tenure.ask(effects.now());
        lock.position.want(exclusive, timestamp);
        lock.position.to(PositionState.REQUEUING);
        lock.env.counters().count(Event.REMOTE_ACQUISITION);
        lock.op
                .use(Step.REQUEUED, effects)
                .begin(Purpose.REQUEUE)
                .fetchAndAdd(lock.position.header(), LockHeader.requeue(lock.position.wasExclusive(), exclusive))
                .read(lock.position.record(), lock.position.words());
    }

    private static void leave(LockState lock, Effects effects) {
        lock.position.leave(lock.upper.valueToTell());
        Successors.grantBeforehand(lock, effects);
        lock.tenure.end();
    }

    static void onReleased(LockState lock, VerbResults results, Effects effects) {
        lock.position.to(PositionState.IDLE);
        long found = results.value(0);
        if (Successors.mayGrantAfter(found)) {
            lock.checkRange(found, effects);
            HandOver handOver = handOver(lock, found);
            if (handOver != null && lock.op.size() > 1) {
                Successors.grant(lock, handOver, results, 1, effects);
            } else if (handOver != null) {
                Successors.readAndGrant(lock, handOver, effects);
            }
        }
        Freeze.notice(lock, found, effects);
        WishAnswers.answerAll(lock, true, effects);
        lock.upper.settled(effects);
    }

    /** Returns the header just before the new position was taken at the tail. */
    static long onRequeued(LockState lock, VerbResults results, Effects effects) {
        long found = results.value(0);
        HandOver handOver = Successors.mayGrantAfter(found) ? handOver(lock, found) : null;
        if (handOver != null) {
            Successors.grant(lock, handOver, results, 1, effects);
        }
        return found + LockHeader.release(lock.position.wasExclusive());
    }

    private static @Nullable HandOver handOver(LockState lock, long found) {
        HandOver handOver = HandOver.afterRelease(
                lock.position.layout(),
                lock.position.epoch(),
                found,
                lock.position.indexLeft(),
                lock.position.wasExclusive());
        return handOver == null ? null : handOver.telling(lock.position.valueLeft());
    }
}
