// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.alock;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockOrder;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockWorld;
import java.util.stream.IntStream;

/** The protocol that the package describes. */
public final class ALock implements LockProtocol {
    /** Two tails, by cohort, come before this word. */
    static final int VICTIM = 2;

    /**
     * What is tuned.
     *
     * @param budget how many acquisitions in a row a cohort makes while the other one waits, at least one
     * @param localPauseNanos pause of a local leader before it reads the words again
     * @param remotePauseNanos pause of a remote leader before it reads the words again
     */
    public record Settings(int budget, long localPauseNanos, long remotePauseNanos) {
        /**
         * Checks the budget.
         *
         * @throws IllegalArgumentException if it is less than one
         */
        public Settings {
            if (budget < 1) {
                throw new IllegalArgumentException("the budget is " + budget + ", which lets no client in");
            }
        }
    }

    private final Settings settings;

    /** Makes the lock. */
    public ALock(Settings settings) {
        this.settings = settings;
    }

    @Override
    public String name() {
        return "ALock";
    }

    @Override
    public int words() {
        return VICTIM + 1;
    }

    /** The tails are zero; the victim is what was written last. */
    @Override
    public boolean isUnused(long[] words) {
        return IntStream.range(0, words.length).allMatch(word -> word == VICTIM || words[word] == 0);
    }

    @Override
    public boolean has(LockMode mode) {
        return mode == LockMode.WRITE;
    }

    /**
     * Each cohort is a group. A client arrives when it has swapped its cohort's tail, and leads its cohort from its WRITE of the victim on. From then on the other
     * cohort has at most one budget left: a whole one if the WRITE made way for it.
     */
    @Override
    public LockOrder order() {
        return new LockOrder() {
            @Override
            public Step step(int word, long before, long after) {
                if (word == VICTIM) {
                    return Step.LEADS;
                }
                return after != 0 ? Step.ARRIVES : Step.NONE;
            }

            @Override
            public int group(boolean local, LockMode mode) {
                return Cohort.of(local).ordinal();
            }

            @Override
            public int mostPassedOver() {
                return settings.budget();
            }
        };
    }

    @Override
    public boolean outlivesClients() {
        return false;
    }

    @Override
    public LockClient client(int number, LockWorld world) {
        return new ALockClient(settings, number, world);
    }
}
