// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.VerbResults;

/**
 * A holder's READ of the remote queue ("look"), so that its local hand-overs do not pass earlier remote waiters (DecLock, section 5.3).
 */
final class Prefetch {
    private static final int MOST_DOUBLINGS = 6;

    private Prefetch() {}

    /** Looks, unless the last look was a moment ago. */
    static void start(LockState lock, Effects effects) {
        if (mayLook(lock)
                && lock.tenure.beginLook(
                        effects.now(), lock.env.settings().prefetchInterval().toNanos())) {
            post(lock, effects);
        }
    }

    /**
     * Looks, because ownership cannot be passed on before; after a look in vain with a pause that grows. If the look cannot begin now, the
     * level above goes on with {@link CqlUpper#settled} as well.
     */
    static void startNow(LockState lock, Effects effects) {
        if (!mayLook(lock)) {
            return;
        }
        int inVain = lock.tenure.looksInVain();
        long pause = inVain == 0
                ? 0
                : lock.env.settings().refetchInterval().toNanos() << Math.min(inVain - 1, MOST_DOUBLINGS);
        long left = pause - lock.tenure.sinceLook(effects.now());
        if (left <= 0) {
            lookNow(lock, effects);
        } else {
            lookLater(lock, left, effects);
        }
    }

    private static void lookNow(LockState lock, Effects effects) {
        lock.tenure.beginLookNow(effects.now());
        post(lock, effects);
    }

    private static void lookLater(LockState lock, long pause, Effects effects) {
        lock.tenure.planLook();
        lock.start(LockTimer.LOOK, pause, effects);
    }

    /** The look that was planned in that tenure is due. */
    static void onDue(LockState lock, int tenure, Effects effects) {
        if (lock.tenure.number() == tenure) {
            lock.tenure.beginPlannedLook();
            if (mayLook(lock)) {
                lookNow(lock, effects);
            }
        }
    }

    private static boolean mayLook(LockState lock) {
        return lock.position.is(PositionState.HELD)
                && !lock.tenure.isLookPlanned()
                && !lock.isProbing()
                && !lock.isFrozen();
    }

    private static void post(LockState lock, Effects effects) {
        lock.probe()
                .about(lock.tenure.number())
                .use(Step.PREFETCHED, effects)
                .begin(Purpose.PREFETCH)
                .read(lock.position.record(), lock.position.words());
    }

    static void onRead(LockState lock, VerbResults results, Effects effects) {
        long header = results.word(0, 0);
        if (lock.position.is(PositionState.HELD) && lock.probe().isAbout(lock.tenure.number())) {
            if (!LockHeader.isInReset(header) && lock.position.isOfEpoch(header)) {
                learn(lock, header, results, effects);
            } else {
                // That reset's initiator may have died, so repeated looks alone would never end the reset.
                Freeze.notice(lock, header, effects);
            }
        }
        landed(lock, effects);
    }

    /** A READ that prevented a look has completed. */
    static void landed(LockState lock, Effects effects) {
        if (lock.position.is(PositionState.HELD)) {
            lock.upper.settled(effects);
        }
    }

    private static void learn(LockState lock, long header, VerbResults results, Effects effects) {
        boolean exclusive = lock.position.isExclusive();
        int index = lock.position.index();
        HandOver window = HandOver.behind(lock.position.layout(), lock.position.epoch(), header, index, exclusive);
        int earliest = window.earliest(index + 1, !exclusive, results, 0);
        if (earliest >= 0) {
            long[] entries = exclusive ? window.followers(index + 1, results, 0) : QueueEntry.NONE;
            lock.tenure.learnWaiter(entries, earliest, effects.now());
        }
        if (window.showsAll(index, results, 0)) {
            lock.tenure.lookedAtAll();
        } else if (lock.tenure.lookedInVain() > lock.env.settings().refetchLimit()) {
            // An unknown waiter counts as earlier than everybody.
            lock.tenure.learnWaiter(QueueEntry.NONE, -1, effects.now());
            lock.tenure.lookedAtAll();
        }
    }
}
