// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.protocols.soul.Region;
import io.declock.protocols.soul.Soul;
import io.declock.simulation.AdapterModel;
import io.declock.simulation.LockSystem.Literature;
import io.declock.simulation.ModelRun;
import io.declock.simulation.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Locks on coherent lines in virtual time. A run throws as soon as a writer is beside anybody. */
class CoherentLocksTest {
    private static final int CLIENTS = 6;
    private static final long PAUSE = 1_000;
    private static final int ROUNDS = 200;

    private static Outcome run(CoherentLocks locks) {
        return ModelRun.run(
                1,
                new ModelRun.Setting(
                        new Literature(new Soul(List.of(new Region(0, 1)))),
                        AdapterModel.CONNECT_X5,
                        CLIENTS,
                        1,
                        () -> locks,
                        1_000_000,
                        40_000_000,
                        ModelRun.Failures.NONE));
    }

    @Test
    void writersAreAloneAndEverybodyGoesOn() {
        for (CoherentLocks locks : List.of(
                CoherentLocks.souls(CLIENTS, 0.5, PAUSE),
                CoherentLocks.counter(CLIENTS, 0.5, PAUSE),
                CoherentLocks.mcs(CLIENTS, 0.5, PAUSE),
                CoherentLocks.perClient(CLIENTS, 0.5, PAUSE))) {
            assertThat(run(locks).all().count()).as(locks.name()).isGreaterThan(ROUNDS);
        }
    }

    @Test
    void readersKeepTheirLines() {
        for (CoherentLocks locks :
                List.of(CoherentLocks.souls(CLIENTS, 1, PAUSE), CoherentLocks.perClient(CLIENTS, 1, PAUSE))) {
            Outcome outcome = run(locks);
            assertThat(outcome.messages()).as(locks.name()).isZero();
            assertThat(outcome.kinds()).as(locks.name()).hasSize(CoherentLocks.FETCHED);
        }
        for (CoherentLocks locks :
                List.of(CoherentLocks.counter(CLIENTS, 1, PAUSE), CoherentLocks.mcs(CLIENTS, 1, PAUSE))) {
            assertThat(run(locks).messages()).as(locks.name()).isPositive();
        }
    }

    /** Five transactions for each hand-over of the queue, as Soul's paper counts (2.2), and one for the data, of four messages each at most. */
    @Test
    void aHandOverOfTheQueueNeedsSixTransactions() {
        Outcome outcome = run(CoherentLocks.mcs(CLIENTS, 0, PAUSE));

        double each = (double) outcome.messages() / outcome.all().count();
        assertThat(each).isBetween(3 * 6.0, 4.5 * 6);
    }
}
