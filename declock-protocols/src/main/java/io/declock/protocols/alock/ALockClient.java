// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.alock;

import io.declock.Purpose;
import io.declock.protocols.LockWorld;
import io.declock.protocols.mcs.McsClient;
import io.declock.protocols.mcs.McsPlace;
import java.util.function.LongConsumer;

/** A client of {@link ALock}. */
final class ALockClient extends McsClient {
    private final ALock.Settings settings;
    private final int number;
    private final LockWorld world;
    private final Cohort cohort;

    ALockClient(ALock.Settings settings, int number, LockWorld world) {
        super("ALock");
        this.settings = settings;
        this.number = number;
        this.world = world;
        this.cohort = Cohort.of(world.isLocal());
    }

    @Override
    protected McsPlace place(long lock, Runnable granted) {
        return new Descriptor(lock, granted);
    }

    /** A place in the queue of the cohort. A client that is the first there, or has used the cohort's budget up, leads the cohort at the global lock. */
    private final class Descriptor extends McsPlace {
        private final Runnable granted;
        private final Words words;
        private int budget;

        Descriptor(long lock, Runnable granted) {
            super(number, lock, world);
            this.granted = granted;
            this.words = new Words(world, cohort, lock);
        }

        // ---------------------------------------------------------------- the cohort's lock

        @Override
        protected void swapTail(Purpose purpose, long expected, long desired, LongConsumer then) {
            words.swapTail(purpose, expected, desired, then);
        }

        @Override
        protected void isFirst() {
            lead();
        }

        @Override
        protected void isHandedOver(long remaining) {
            if (remaining == 0) {
                lead();
            } else {
                budget = (int) remaining;
                granted.run();
            }
        }

        @Override
        protected long handedOn() {
            return budget - 1L;
        }

        // ---------------------------------------------------------------- the global lock

        private void lead() {
            budget = settings.budget();
            words.yieldTo(this::goOn);
        }

        private void goOn(Words.Seen seen) {
            if (seen.othersWait() && seen.isVictim()) {
                world.after(
                        cohort == Cohort.LOCAL ? settings.localPauseNanos() : settings.remotePauseNanos(),
                        () -> words.look(this::goOn));
            } else {
                granted.run();
            }
        }
    }
}
