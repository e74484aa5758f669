// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.alock;

import io.declock.Purpose;
import io.declock.protocols.LockWorld;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** The words of one lock as a client of one cohort reaches them: local clients by the processor, remote ones by verbs. */
final class Words {
    /** What a leader has read. */
    record Seen(boolean othersWait, boolean isVictim) {}

    private final LockWorld world;
    private final Cohort cohort;
    private final long lock;

    Words(LockWorld world, Cohort cohort, long lock) {
        this.world = world;
        this.cohort = cohort;
        this.lock = lock;
    }

    /** Replaces a value of the cohort's tail; the function gets the former value. */
    void swapTail(Purpose purpose, long expected, long desired, LongConsumer then) {
        post(new Chain(results -> then.accept(results.value(0)))
                .begin(purpose)
                .compareAndSwap(tailOf(cohort), expected, desired));
    }

    /** Makes the cohort the victim, and then reads whether the other cohort is there. */
    void yieldTo(Consumer<Seen> then) {
        post(new Chain(results -> then.accept(new Seen(results.value(1) != 0, true)))
                .begin(Purpose.ACQUIRE)
                .write(victim(), cohort.ordinal())
                .read(tailOf(cohort.other()), 1));
    }

    /** Reads the victim, and then whether the other cohort is there. */
    void look(Consumer<Seen> then) {
        post(new Chain(results -> then.accept(new Seen(results.value(1) != 0, results.value(0) == cohort.ordinal())))
                .begin(Purpose.ACQUIRE)
                .read(victim(), 1)
                .read(tailOf(cohort.other()), 1));
    }

    private long tailOf(Cohort of) {
        return lock + (long) of.ordinal() * Long.BYTES;
    }

    private long victim() {
        return lock + (long) ALock.VICTIM * Long.BYTES;
    }

    private void post(VerbChain chain) {
        if (cohort == Cohort.LOCAL) {
            world.postLocal(chain);
        } else {
            world.post(chain);
        }
    }

    /** A client whose chain fails has no session any more and learns nothing. */
    private static final class Chain extends VerbChain {
        private final Consumer<VerbResults> then;

        Chain(Consumer<VerbResults> then) {
            super(2);
            this.then = then;
        }

        @Override
        public void completed(VerbResults results) {
            then.accept(results);
        }

        @Override
        public void failed(FabricException cause) {}
    }
}
