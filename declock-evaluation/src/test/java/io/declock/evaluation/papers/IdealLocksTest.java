// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.simulation.AdapterModel;
import io.declock.simulation.ModelRun;
import io.declock.simulation.Outcome;
import org.junit.jupiter.api.Test;

/** Locks that cost nothing. */
class IdealLocksTest {
    private static final int CLIENTS = 8;
    private static final long WORK = 1_000;

    @Test
    void aWriterIsAloneAndTheNextOneHasTheLockAtOnce() {
        Watched watched = new Watched(0);

        Outcome outcome = run(watched);

        assertThat(watched.mostTogether).isEqualTo(1);
        assertThat(outcome.all().perSecond()).isBetween(0.99e9 / WORK, 1.01e9 / WORK);
        assertThat(outcome.verbs().acquire()).isZero();
    }

    /** Clients that pause come too seldom for the next one to have the lock by their coming. */
    @Test
    void aWaiterHasTheLockWhenItIsReleasedThoughNobodyComes() {
        Watched watched = new Watched(0, (CLIENTS - 2) * WORK);

        assertThat(run(watched).all().perSecond()).isBetween(0.99e9 / WORK, 1.01e9 / WORK);
    }

    @Test
    void readersHoldTheLockTogether() {
        Watched watched = new Watched(1);

        run(watched);

        assertThat(watched.mostTogether).isEqualTo(CLIENTS);
    }

    @Test
    void readersAndWritersTakeTurns() {
        Watched watched = new Watched(3);

        Outcome outcome = run(watched);

        assertThat(watched.mostTogether).isGreaterThan(1);
        assertThat(outcome.kinds())
                .hasSize(2)
                .allSatisfy(kind -> assertThat(kind.count()).isGreaterThan(100));
    }

    private static Outcome run(Watched watched) {
        return ModelRun.run(
                1,
                new ModelRun.Setting(
                        Lock.CASLOCK.system(),
                        AdapterModel.CONNECT_X4,
                        1,
                        CLIENTS,
                        () -> new IdealLocks(watched),
                        100_000,
                        1_000_000,
                        ModelRun.Failures.NONE));
    }

    /** Clients of one lock, of which each operation whose number is no multiple of a period reads. */
    private static final class Watched implements Application {
        /** 0: all write. 1: all read. Else one of so many operations writes. */
        private final int period;

        /** How long a client pauses between two operations. */
        private final long pause;

        private int mostTogether;
        private int together;
        private int writers;
        private int operations;

        Watched(int period) {
            this(period, 0);
        }

        Watched(int period, long pause) {
            this.period = period;
            this.pause = pause;
        }

        @Override
        public String name() {
            return "watched";
        }

        @Override
        public int locks() {
            return 1;
        }

        @Override
        public long words() {
            return 0;
        }

        private LockMode next() {
            return period == 0 || period > 1 && operations++ % period == 0 ? LockMode.WRITE : LockMode.READ;
        }

        @Override
        public ApplicationClient client(int number, ApplicationWorld world) {
            return new ApplicationClient() {
                @Override
                public void start() {
                    LockMode mode = next();
                    long since = world.now();
                    world.acquire(0, mode, () -> {
                        enter(mode);
                        world.after(WORK, () -> {
                            together--;
                            writers -= mode == LockMode.WRITE ? 1 : 0;
                            world.done(mode == LockMode.WRITE ? 1 : 0, since);
                            world.release(0, () -> world.after(pause, this::start));
                        });
                    });
                }
            };
        }

        private void enter(LockMode mode) {
            assertThat(writers).isZero();
            assertThat(mode == LockMode.READ || together == 0).isTrue();
            writers += mode == LockMode.WRITE ? 1 : 0;
            together++;
            mostTogether = Math.max(mostTogether, together);
        }
    }
}
