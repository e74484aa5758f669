// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.declock.LockMode;
import io.declock.evaluation.load.Transaction.Need;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class TransactionsTest {
    private static final int DRAWS = 100_000;

    private final SplittableRandom random = new SplittableRandom(3);
    private final Chance chance = random::nextLong;

    private List<Transaction> draw(Transactions transactions) {
        List<Transaction> drawn = new ArrayList<>();
        for (int i = 0; i < DRAWS; i++) {
            drawn.add(transactions.next(i % 240, chance));
        }
        return drawn;
    }

    private static double share(List<Transaction> drawn, Predicate<Transaction> which) {
        return (double) drawn.stream().filter(which).count() / drawn.size();
    }

    private static double readShare(List<Transaction> drawn) {
        List<Need> needs = drawn.stream().flatMap(one -> one.needs().stream()).toList();
        return (double) needs.stream()
                        .filter(need -> need.mode() == LockMode.READ)
                        .count()
                / needs.size();
    }

    private static void assertShares(List<Transaction> drawn, double... percent) {
        for (int kind = 0; kind < percent.length; kind++) {
            int wanted = kind;
            assertThat(100 * share(drawn, one -> one.kind() == wanted))
                    .as("kind %d", kind)
                    .isCloseTo(percent[kind], within(0.5));
        }
    }

    private static void assertOrdered(List<Transaction> drawn, int locks) {
        for (Transaction transaction : drawn) {
            assertThat(transaction.needs()).isNotEmpty();
            int before = -1;
            for (Need need : transaction.needs()) {
                assertThat(need.lock()).isGreaterThan(before).isLessThan(locks);
                before = need.lock();
            }
        }
    }

    @Test
    void tatpHasTheSharesOfItsSpecification() {
        TatpLocks tatp = new TatpLocks(100_000, 2_800);
        List<Transaction> drawn = draw(tatp);
        assertShares(drawn, 35, 10, 35, 2, 14, 2, 2);
        assertOrdered(drawn, tatp.locks());
    }

    /** ShiftLock's paper prints 80.6% for its trace of TATP (4.4). */
    @Test
    void tatpReadsAsMuchAsThePapersTrace() {
        assertThat(readShare(draw(new TatpLocks(100_000, 0)))).isCloseTo(0.806, within(0.015));
    }

    /** Of the bits of two numbers together ones are more frequent than zeros, so that odd numbers come in three of four cases. */
    @Test
    void tatpChoosesSubscribersUnevenly() {
        TatpLocks tatp = new TatpLocks(100_000, 0);
        int odd = 0;
        for (int i = 0; i < DRAWS; i++) {
            int subscriber = tatp.subscriber(chance);
            assertThat(subscriber).isBetween(0, 99_999);
            odd += subscriber & 1;
        }
        assertThat((double) odd / DRAWS).isCloseTo(0.75, within(0.01));
    }

    @Test
    void tpccHasTheSharesOfItsSpecification() {
        TpccLocks tpcc = new TpccLocks(new TpccLocks.Settings(10, 3_000, 100_000, 0));
        List<Transaction> drawn = draw(tpcc);
        assertShares(drawn, 45, 43, 4, 4, 4, 0);
        assertOrdered(drawn, tpcc.locks());
    }

    /** ShiftLock's paper prints 86.5% writers for its trace of TPC-C (4.4). */
    @Test
    void tpccWritesAsMuchAsThePapersTrace() {
        double reads = readShare(draw(new TpccLocks(new TpccLocks.Settings(10, 3_000, 100_000, 0))));
        assertThat(1 - reads).isCloseTo(0.865, within(0.02));
    }

    @Test
    void tpccLocksWhatATransactionChangesForWriting() {
        TpccLocks tpcc = new TpccLocks(new TpccLocks.Settings(4, 3_000, 100_000, 0));
        for (Transaction one : draw(tpcc)) {
            long writes = one.needs().stream()
                    .filter(need -> need.mode() == LockMode.WRITE)
                    .count();
            switch (one.kind()) {
                case TpccLocks.NEW_ORDER -> {
                    assertThat(writes).isBetween(3L, 17L);
                    assertThat(one.needs().size() - writes).isEqualTo(2);
                }
                case TpccLocks.PAYMENT -> {
                    assertThat(writes).isEqualTo(3);
                    assertThat(one.needs()).hasSize(3);
                }
                case TpccLocks.DELIVERY -> {
                    assertThat(writes).isEqualTo(20);
                    assertThat(one.needs()).hasSize(20);
                }
                default -> {
                    assertThat(writes).isZero();
                    assertThat(one.needs()).hasSize(2);
                }
            }
        }
    }

    @Test
    void aNewOrderHasFiveToFifteenItems() {
        TpccLocks tpcc = new TpccLocks(new TpccLocks.Settings(1, 3_000, 100_000, 0));
        assertThat(draw(tpcc).stream()
                        .filter(one -> one.kind() == TpccLocks.NEW_ORDER)
                        .mapToInt(one -> one.needs().size() - 4)
                        .max())
                .hasValue(15);
    }

    @Test
    void someTransactionsGoToOtherWarehouses() {
        TpccLocks tpcc = new TpccLocks(new TpccLocks.Settings(10, 3_000, 100_000, 0));
        int rows = tpcc.locks() / 10;
        List<Transaction> drawn = new ArrayList<>();
        for (int i = 0; i < DRAWS; i++) {
            drawn.add(tpcc.next(4, chance));
        }
        Predicate<Transaction> elsewhere = one -> one.needs().stream().anyMatch(need -> need.lock() / rows != 4);
        List<Transaction> payments =
                drawn.stream().filter(one -> one.kind() == TpccLocks.PAYMENT).toList();
        assertThat(share(payments, elsewhere)).isCloseTo(0.15, within(0.01));
        List<Transaction> orders =
                drawn.stream().filter(one -> one.kind() == TpccLocks.NEW_ORDER).toList();
        assertThat(share(orders, elsewhere))
                .as("one of a hundred of 5 to 15 items")
                .isCloseTo(0.095, within(0.01));
    }

    @Test
    void longReadsComeWithTheirShareAndTakeTheLockOfAllCustomers() {
        TpccLocks tpcc = new TpccLocks(new TpccLocks.Settings(2, 3_000, 100_000, 7_000, 0.1, 1_000_000));
        List<Transaction> drawn = draw(tpcc);
        assertThat(share(drawn, one -> one.kind() == TpccLocks.LONG_READ)).isCloseTo(0.1, within(0.005));
        for (Transaction one : drawn) {
            int all = one.needs().get(0).lock() < tpcc.warehouse(1) ? tpcc.allCustomers(0) : tpcc.allCustomers(1);
            if (one.kind() == TpccLocks.LONG_READ) {
                assertThat(one.needs()).containsExactly(new Need(all, LockMode.READ));
                assertThat(tpcc.workNanos(one)).isEqualTo(1_000_000);
            } else {
                assertThat(tpcc.workNanos(one)).isEqualTo(7_000);
            }
            if (one.kind() == TpccLocks.DELIVERY) {
                assertThat(one.needs()).contains(new Need(all, LockMode.WRITE));
            }
        }
    }

    @Test
    void aLockThatIsReadAndWrittenIsTakenOnceForWriting() {
        Transaction transaction =
                new Transaction.Builder().read(3).write(3).read(3).read(1).build(0);
        assertThat(transaction.needs()).containsExactly(new Need(1, LockMode.READ), new Need(3, LockMode.WRITE));
    }

    @Test
    void sharesThatAreNotAHundredAreRefused() {
        assertThatThrownBy(() -> new Mix(50, 49)).isInstanceOf(IllegalArgumentException.class);
    }
}
