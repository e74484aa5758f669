// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocol;

import io.declock.fabric.Purpose;
import io.declock.fabric.VerbResults;
import io.declock.layout.LockHeader;
import io.declock.monitor.Counters.Event;
import io.declock.monitor.GrantKind;
import io.declock.protocol.CqlLock.State;
import io.declock.protocol.LockChain.Step;

/**
 * Taking a position: one FAA that tells whether it holds (DecLock, section 4.2, workflows 1 and 2), or, for who must not wait, READ
 * and CAS (rule D1). Guarded by the lock's mutex.
 */
final class Acquisition {
    private final CqlEnvironment env;
    private final CqlUpper upper;
    private final CqlLock lock;
    private final Position position;
    private final Tenure tenure;
    private final ResetMember reset;
    private final PendingRequest pending;
    private final LockChain op;

    Acquisition(
            CqlEnvironment env,
            CqlUpper upper,
            CqlLock lock,
            Position position,
            Tenure tenure,
            ResetMember reset,
            PendingRequest pending,
            LockChain op) {
        this.env = env;
        this.upper = upper;
        this.lock = lock;
        this.position = position;
        this.tenure = tenure;
        this.reset = reset;
        this.pending = pending;
        this.op = op;
    }

    void start(boolean exclusive, int timestamp, Effects effects) {
        position.expect(State.IDLE);
        position.want(exclusive, timestamp);
        if (reset.isPending()) {
            position.to(State.ABORTED);
            return;
        }
        position.to(State.ENQUEUING);
        tenure.ask(env.clock().nanoTime());
        env.counters().count(Event.REMOTE_ACQUISITION);
        op.use(Step.ENQUEUED, effects)
                .begin(Purpose.ACQUIRE)
                .fetchAndAdd(position.header(), LockHeader.acquire(exclusive));
    }

    /**
     * A position was taken in front of which {@code before} was the header. If a reset was signalled meanwhile, a position that
     * holds the lock is acknowledged as such, and one that would have to wait is given up like any other (rules B4 and B6).
     */
    void arrive(long before, Effects effects) {
        if (isTakenInReset(before)) {
            reset.abort(effects);
            return;
        }
        if (!position.isOfEpoch(before)) {
            position.to(State.LEARNING);
            op.goingBy(before)
                    .use(Step.EPOCH_LEARNT, effects)
                    .begin(Purpose.RESET)
                    .read(position.layout().epoch(position.record()), 1);
            return;
        }
        position.toIndex(LockHeader.tail(before));
        lock.checkRange(before, effects);
        if (LockHeader.grants(before, position.isExclusive())) {
            lock.hold(GrantKind.UNCONTENDED, effects);
            return;
        }
        if (!mayWait()) {
            reset.abort(effects);
            return;
        }
        pending.register(isBeyondCapacity(before), effects);
    }

    private boolean mayWait() {
        return !reset.isPending();
    }

    /** A position taken while a reset is under way is no position (rule B1). */
    private static boolean isTakenInReset(long before) {
        return LockHeader.resetId(before) != 0;
    }

    /** The slot of a position beyond the capacity belongs to somebody else (rule A9). */
    private boolean isBeyondCapacity(long before) {
        return LockHeader.size(before) >= position.layout().capacity();
    }

    void onEpochLearnt(VerbResults results, Effects effects) {
        long learnt = ResetMember.fullEpoch(op.header(), results.value(0));
        if (learnt != position.epoch()) {
            position.toEpoch(learnt);
            env.sawEpoch(learnt);
            reset.over();
        }
        arrive(op.header(), effects);
    }

    // ---------------------------------------------------------------- without waiting

    void startWithoutWaiting(boolean exclusive, int timestamp, Effects effects) {
        position.expect(State.IDLE);
        position.want(exclusive, timestamp);
        position.to(State.TRYING);
        tenure.ask(env.clock().nanoTime());
        env.counters().count(Event.REMOTE_ACQUISITION);
        op.use(Step.TRY_READ, effects).begin(Purpose.CONVERT).read(position.header(), 1);
    }

    void onTryRead(VerbResults results, Effects effects) {
        long header = results.value(0);
        if (!position.mayCas(header) || !LockHeader.grants(header, position.isExclusive())) {
            position.to(State.IDLE);
            reset.notice(header, effects);
            upper.notGranted(effects);
            return;
        }
        op.goingBy(header)
                .use(Step.TRY_SWAPPED, effects)
                .begin(Purpose.CONVERT)
                .compareAndSwap(position.header(), header, header + LockHeader.acquire(position.isExclusive()));
    }

    void onTrySwapped(VerbResults results, Effects effects) {
        if (results.value(0) != op.header()) {
            onTryRead(results, effects);
            return;
        }
        position.toIndex(LockHeader.tail(op.header()));
        lock.checkRange(op.header(), effects);
        lock.hold(GrantKind.UNCONTENDED, effects);
    }
}
