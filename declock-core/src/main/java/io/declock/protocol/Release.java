// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocol;

import io.declock.fabric.Purpose;
import io.declock.fabric.VerbChain;
import io.declock.fabric.VerbResults;
import io.declock.layout.LockHeader;
import io.declock.monitor.Counters.Event;
import io.declock.protocol.CqlLock.State;
import io.declock.protocol.LockChain.Step;
import org.jspecify.annotations.Nullable;

/**
 * Giving the position back with one FAA (DecLock, section 4.2, workflows 3 to 5), or giving it back and taking one at the tail
 * with the same FAA. Guarded by the lock's mutex.
 */
final class Release {
    private final CqlEnvironment env;
    private final CqlUpper upper;
    private final CqlLock lock;
    private final Position position;
    private final Tenure tenure;
    private final ResetMember reset;
    private final Successors successors;
    private final LockChain op;

    private boolean leavingExclusive;
    private int leavingIndex;

    Release(
            CqlEnvironment env,
            CqlUpper upper,
            CqlLock lock,
            Position position,
            Tenure tenure,
            ResetMember reset,
            Successors successors,
            LockChain op) {
        this.env = env;
        this.upper = upper;
        this.lock = lock;
        this.position = position;
        this.tenure = tenure;
        this.reset = reset;
        this.successors = successors;
        this.op = op;
    }

    void start(Effects effects) {
        position.expect(State.HELD);
        if (reset.keepsHold()) {
            position.to(State.PUT_OFF);
            return;
        }
        boolean read = tenure.isReadWorthIt(env.settings().releaseRead(), env.isChainOneRequest(), env.clock());
        leave(effects);
        position.to(State.LEAVING);
        VerbChain chain = op.use(Step.RELEASED, effects)
                .begin(Purpose.RELEASE)
                .fetchAndAdd(position.header(), LockHeader.release(leavingExclusive));
        if (read) {
            chain.read(position.record(), position.words());
        }
    }

    void startRequeue(boolean exclusive, int timestamp, Effects effects) {
        position.expect(State.HELD);
        leave(effects);
        tenure.ask(env.clock().nanoTime());
        position.want(exclusive, timestamp);
        position.to(State.REQUEUING);
        env.counters().count(Event.REMOTE_ACQUISITION);
        op.use(Step.REQUEUED, effects)
                .begin(Purpose.REQUEUE)
                .fetchAndAdd(position.header(), LockHeader.requeue(leavingExclusive, exclusive))
                .read(position.record(), position.words());
    }

    private void leave(Effects effects) {
        leavingExclusive = position.isExclusive();
        leavingIndex = position.index();
        successors.grantBeforehand(effects);
        tenure.end();
    }

    void onReleased(VerbResults results, Effects effects) {
        position.to(State.IDLE);
        long found = results.value(0);
        if (Successors.mayGrantAfter(found)) {
            lock.checkRange(found, effects);
            HandOver handOver = handOver(found);
            if (handOver != null && op.size() > 1) {
                successors.grant(handOver, results, 1, effects);
            } else if (handOver != null) {
                successors.readAndGrant(handOver, effects);
            }
        }
        reset.notice(found, effects);
        upper.vacant(effects);
    }

    /** Returns the header in front of the position that was taken at the tail. */
    long onRequeued(VerbResults results, Effects effects) {
        long found = results.value(0);
        HandOver handOver = Successors.mayGrantAfter(found) ? handOver(found) : null;
        if (handOver != null) {
            successors.grant(handOver, results, 1, effects);
        }
        return found + LockHeader.release(leavingExclusive);
    }

    private @Nullable HandOver handOver(long found) {
        return HandOver.afterRelease(position.layout(), position.epoch(), found, leavingIndex, leavingExclusive);
    }
}
