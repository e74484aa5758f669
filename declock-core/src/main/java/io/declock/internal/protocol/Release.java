// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.CqlLock.State;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import org.jspecify.annotations.Nullable;

/**
 * Gives the position back with one FAA (DecLock, section 4.2, workflows 3 to 5), or gives it back and takes one at the tail with the same
 * FAA. Stateless: the state is in {@link CqlLock}. Guarded by the lock's mutex.
 */
final class Release {
    private Release() {}

    static void start(CqlLock lock, Effects effects) {
        lock.position.expect(State.HELD);
        if (lock.reset.keepsHold()) {
            lock.position.to(State.PUT_OFF);
            return;
        }
        boolean read =
                lock.tenure.isReadWorthIt(lock.env.settings().releaseRead(), lock.env.isChainOneRequest(), effects);
        leave(lock, effects);
        lock.position.to(State.LEAVING);
        VerbChain chain = lock.op
                .use(Step.RELEASED, effects)
                .begin(Purpose.RELEASE)
                .fetchAndAdd(lock.position.header(), LockHeader.release(lock.position.wasExclusive()));
        if (read) {
            chain.read(lock.position.record(), lock.position.words());
        }
    }

    static void startRequeue(CqlLock lock, boolean exclusive, int timestamp, Effects effects) {
        lock.position.expect(State.HELD);
        leave(lock, effects);
        lock.tenure.ask(effects.now());
        lock.position.want(exclusive, timestamp);
        lock.position.to(State.REQUEUING);
        lock.env.counters().count(Event.REMOTE_ACQUISITION);
        lock.op
                .use(Step.REQUEUED, effects)
                .begin(Purpose.REQUEUE)
                .fetchAndAdd(lock.position.header(), LockHeader.requeue(lock.position.wasExclusive(), exclusive))
                .read(lock.position.record(), lock.position.words());
    }

    private static void leave(CqlLock lock, Effects effects) {
        lock.position.leave();
        Successors.grantBeforehand(lock, effects);
        lock.tenure.end();
    }

    static void onReleased(CqlLock lock, VerbResults results, Effects effects) {
        lock.position.to(State.IDLE);
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
        lock.reset.notice(found, effects);
        lock.upper.vacant(effects);
    }

    /** Returns the header just before the new position was taken at the tail. */
    static long onRequeued(CqlLock lock, VerbResults results, Effects effects) {
        long found = results.value(0);
        HandOver handOver = Successors.mayGrantAfter(found) ? handOver(lock, found) : null;
        if (handOver != null) {
            Successors.grant(lock, handOver, results, 1, effects);
        }
        return found + LockHeader.release(lock.position.wasExclusive());
    }

    private static @Nullable HandOver handOver(CqlLock lock, long found) {
        return HandOver.afterRelease(
                lock.position.layout(),
                lock.position.epoch(),
                found,
                lock.position.indexLeft(),
                lock.position.wasExclusive());
    }
}
