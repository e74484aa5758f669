// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Purpose;
import io.declock.spi.VerbResults;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.CqlLock.State;
import io.declock.internal.protocol.LockChain.Step;

/**
 * A holder's READ of the remote queue ("look"), so that its local hand-overs do not pass earlier remote waiters (DecLock, section 5.3).
 * Stateless: the state is in {@link CqlLock}. Guarded by the lock's mutex.
 */
final class Prefetch {
    private Prefetch() {}

    /** Looks, unless the last look was a moment ago. */
    static void start(CqlLock lock, Effects effects) {
        if (mayLook(lock)
                && lock.tenure.beginLook(
                        effects.now(), lock.env.settings().prefetchInterval().toNanos())) {
            post(lock, effects);
        }
    }

    /**
     * Looks, because a local hand-over needs it first. If another operation prevents the look now, {@link CqlUpper#settled} follows its end
     * too.
     */
    static void startNow(CqlLock lock, Effects effects) {
        if (mayLook(lock)) {
            lock.tenure.beginLookNow(effects.now());
            post(lock, effects);
        }
    }

    private static boolean mayLook(CqlLock lock) {
        return lock.position.is(State.HELD)
                && !lock.tenure.isLookPlanned()
                && !lock.probe.isInFlight()
                && !lock.reset.isPending();
    }

    private static void post(CqlLock lock, Effects effects) {
        lock.probe
                .about(lock.tenure.number())
                .use(Step.PREFETCHED, effects)
                .begin(Purpose.PREFETCH)
                .read(lock.position.record(), lock.position.words());
    }

    static void onRead(CqlLock lock, VerbResults results, Effects effects) {
        long header = results.word(0, 0);
        if (lock.position.is(State.HELD) && lock.probe.isAbout(lock.tenure.number())) {
            if (LockHeader.resetId(header) == 0 && lock.position.isOfEpoch(header)) {
                learn(lock, header, results, effects);
            } else {
                // That reset's initiator may have died, so repeated looks alone would never end the reset.
                lock.reset.notice(header, effects);
            }
        }
        landed(lock, effects);
    }

    /** A READ that prevented a look has completed. */
    static void landed(CqlLock lock, Effects effects) {
        if (lock.position.is(State.HELD)) {
            lock.upper.settled(effects);
        }
    }

    private static void learn(CqlLock lock, long header, VerbResults results, Effects effects) {
        boolean exclusive = lock.position.isExclusive();
        int index = lock.position.index();
        HandOver window = HandOver.behind(lock.position.layout(), lock.position.epoch(), header, index, exclusive);
        int earliest = window.earliest(index + 1, !exclusive, results, 0);
        if (earliest >= 0) {
            long[] entries = exclusive ? window.followers(index + 1, results, 0) : HandOver.NO_ENTRIES;
            lock.tenure.learnWaiter(entries, earliest, effects.now());
        }
        if (window.showsAll(index, results, 0)) {
            lock.tenure.lookedAtAll();
        } else {
            lookAgain(lock, effects);
        }
    }

    /**
     * Plans another look, because a waiter's entry is not filled yet and its arrival time is unknown. After too many looks the waiter
     * counts as earlier than every local caller.
     */
    private static void lookAgain(CqlLock lock, Effects effects) {
        int looks = lock.tenure.lookedInVain();
        if (looks > lock.env.settings().refetchLimit()) {
            lock.tenure.beginPlannedLook();
            lock.tenure.lookedAtAll();
            lock.tenure.learnWaiter(HandOver.NO_ENTRIES, -1, effects.now());
            return;
        }
        int tenure = lock.tenure.number();
        long pause = lock.env.settings().refetchInterval().toNanos() << Math.min(looks - 1, 6);
        effects.run(() -> lock.env
                .timer()
                .schedule(
                        pause,
                        () -> lock.event(later -> {
                            if (lock.tenure.number() == tenure) {
                                lock.tenure.beginPlannedLook();
                                startNow(lock, later);
                            }
                        })));
    }
}
