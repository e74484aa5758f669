// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.LockMode;
import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.dslr.Dslr;
import io.declock.protocols.shiftlock.ShiftLock;
import io.declock.simulation.AdapterModel;
import io.declock.simulation.LockSystem;
import io.declock.simulation.ModelRun;
import io.declock.simulation.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Loads whose clients fail, or hold locks for longer than their leases. */
class FailuresTest {
    private static final long LEASE = 100_000;
    private static final long MILLISECOND = 1_000_000;
    private static final LockSystem DSLR = dslr(1);
    private static final LockSystem SHIFT_LOCK =
            new LockSystem.Literature(new ShiftLock(new ShiftLock.Settings(LEASE, 16, 1_000)));

    private static LockSystem dslr(int slots) {
        return new LockSystem.Literature(Dslr.polling(new Dslr.Settings(LEASE, Dslr.TICKETS, slots, null), 5_000));
    }

    /** Each transaction needs one of two locks, to write it or to read it. */
    private record OneLock(long workNanos) implements Transactions {
        @Override
        public String name() {
            return "one lock";
        }

        @Override
        public int locks() {
            return 2;
        }

        @Override
        public Transaction next(int client, Chance chance) {
            int lock = chance.between(0, 1);
            return chance.happens(0.5)
                    ? new Transaction.Builder().read(lock).build(0)
                    : new Transaction.Builder().write(lock).build(1);
        }

        @Override
        public long workNanos(Transaction transaction) {
            return workNanos;
        }
    }

    private static Outcome run(LockSystem system, Application application) {
        return ModelRun.run(
                1,
                new ModelRun.Setting(
                        system, AdapterModel.CONNECT_X5, 2, 3, () -> application, MILLISECOND, 20 * MILLISECOND));
    }

    private static Microbenchmark failing(double share) {
        return new Microbenchmark(new Microbenchmark.Settings(3, 0, 0.5, 1, 1, 0).withFailures(share));
    }

    @Test
    void locksThatAreLeftBehindAreGrantedToOthersAfterTheirLeases() {
        for (LockSystem system : List.of(DSLR, SHIFT_LOCK)) {
            Outcome none = run(system, failing(0));
            Outcome some = run(system, failing(0.02));
            assertThat(none.aborted()).isZero();
            assertThat(some.abortedShare()).isBetween(0.005, 0.05);
            assertThat(some.verbs().reset()).isPositive();
            assertThat(some.all().count())
                    .isBetween(none.all().count() / 1_000, none.all().count() / 2);
        }
    }

    @Test
    void aTransactionThatFailsLeavesAllItsLocksBehind() {
        Outcome some = run(DSLR, new TwoPhaseLocking(new OneLock(0), 1, 0.1, 0));
        assertThat(some.abortedShare()).isBetween(0.05, 0.6);
        assertThat(some.all().count()).isPositive();
        assertThat(run(DSLR, new TwoPhaseLocking(new OneLock(0))).aborted()).isZero();
        Outcome all = run(DSLR, new TwoPhaseLocking(new OneLock(0), 1, 1, 0));
        assertThat(all.all().count()).isZero();
        assertThat(all.aborted()).isPositive();
        assertThat(all.acquisitions())
                .as("each lock once in two leases, or a few readers")
                .isLessThan(1_000);
    }

    @Test
    void onlyWhatIsAbortedInTheWindowCounts() {
        ModelRun.Setting setting = new ModelRun.Setting(
                DSLR, AdapterModel.CONNECT_X5, 2, 3, () -> failing(1), 20 * MILLISECOND, MILLISECOND);
        Outcome outcome = ModelRun.run(1, setting);
        assertThat(outcome.aborted()).isBetween(1L, outcome.acquisitions() + setting.computeNodes() * 3L);
    }

    @Test
    void aLockWhoseClientsMustNotFailSaysSo() {
        assertThatThrownBy(() -> run(new LockSystem.Literature(CasLock.spinning()), failing(0.1)))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> run(LockSystem.DecLockSystem.AS_IN_THE_PAPER, failing(0.1)))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    /** Two locks, and six clients that hold one for three leases each. */
    @Test
    void workThatIsLongerThanTheLeaseIsAbortedAndWithSeveralSlotsItIsNot() {
        Transactions work = new OneLock(3 * LEASE);
        Outcome one = run(DSLR, new TwoPhaseLocking(work, 10, 0, 0));
        assertThat(one.all().count()).isZero();
        assertThat(one.aborted()).isPositive();
        Outcome several = run(dslr(10), new TwoPhaseLocking(work, 10, 0, 0));
        assertThat(several.aborted()).isZero();
        assertThat(several.all().count()).isPositive();
        assertThat(run(dslr(10), new TwoPhaseLocking(work, 1, 0, 0)).all().count())
                .isZero();
    }

    /** Six clients that hardly ever wait. */
    @Test
    void aClientPausesBetweenTransactions() {
        Outcome outcome = run(DSLR, new TwoPhaseLocking(new OneLock(0), 1, 0, MILLISECOND));
        assertThat(outcome.all().count()).isBetween(6 * 18L, 6 * 20L);
    }

    /** Told by a world that says that the second lock was granted after a lost turn. */
    @Test
    void aTransactionThatHasLostATurnGivesItsLocksBack() {
        LostTurn world = new LostTurn();
        TwoPhaseLocking application = new TwoPhaseLocking(new TpccLocks(new TpccLocks.Settings(1, 10, 10, 0)));
        ApplicationClient client = application.client(0, world);
        client.start();
        assertThat(world.aborted).isOne();
        assertThat(world.acquired).isEqualTo(2);
        assertThat(world.released).isEqualTo(2);
    }

    private static final class LostTurn implements ApplicationWorld {
        private int acquired;
        private int released;
        private int aborted;

        @Override
        public void acquire(int lock, LockMode mode, Runnable granted) {
            acquired++;
            granted.run();
        }

        @Override
        public int turnsLost(int lock) {
            return acquired == 2 ? 1 : 0;
        }

        @Override
        public void release(int lock, Runnable then) {
            released++;
            then.run();
        }

        @Override
        public void aborted() {
            aborted++;
        }

        @Override
        public long address(long word) {
            throw new AssertionError("no data is used");
        }

        @Override
        public void post(io.declock.spi.VerbChain chain) {
            throw new AssertionError("no data is used");
        }

        @Override
        public long now() {
            return 0;
        }

        @Override
        public void after(long nanos, Runnable event) {
            if (aborted == 0) {
                event.run();
            }
        }

        @Override
        public long below(long bound) {
            return 0;
        }

        @Override
        public void done(int kind, long since) {
            throw new AssertionError("it was aborted");
        }
    }
}
