// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.LockLostException;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.OnLost;
import io.declock.spring.Release;
import io.declock.spring.jdbc.FencedOffException;
import io.declock.spring.jdbc.FencedUpdate;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@DecLockTest(properties = "spring.datasource.generate-unique-name=true")
@Import({TransactionTests.Stock.class, TransactionTests.Checkout.class, TransactionTests.Carrier.class})
@ImportAutoConfiguration({
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class
})
class TransactionTests {
    static class Carrier {
        private Runnable call = () -> {};

        void book() {
            call.run();
        }
    }

    @Service
    static class Stock {
        private final JdbcTemplate jdbc;
        private final Carrier carrier;

        Stock(JdbcTemplate jdbc, Carrier carrier) {
            this.jdbc = jdbc;
            this.carrier = carrier;
        }

        // tag::transaction[]
        @DecLocked(name = "stock", key = "#product")
        @Transactional
        public void sell(long product, int quantity) {
            jdbc.update("update stock set quantity = quantity - ? where id = ?", quantity, product);
            carrier.book();
        }
        // end::transaction[]

        // tag::joined[]
        @DecLocked(name = "stock", key = "#product", release = Release.AFTER_COMPLETION)
        @Transactional
        public void take(long product, int quantity) {
            jdbc.update("update stock set quantity = quantity - ? where id = ?", quantity, product);
        }
        // end::joined[]

        // tag::fenced[]
        @DecLocked(name = "stock", key = "#product", onLost = OnLost.LOG)
        @Transactional
        public void sellFenced(long product, int quantity) {
            carrier.book();
            FencedUpdate.of("stock")
                    .set("quantity", "quantity - ?", quantity)
                    .where("id = ?", product)
                    .execute(jdbc, DecLockContext.currentToken());
        }
        // end::fenced[]

        // tag::claimed[]
        @DecLocked(name = "stock", key = "#product", onLost = OnLost.LOG)
        @Transactional
        public void sellIfThere(long product, int quantity) {
            FencedUpdate row = FencedUpdate.of("stock").where("id = ?", product);
            row.claim(jdbc, DecLockContext.currentToken());
            int there = jdbc.queryForObject("select quantity from stock where id = ?", Integer.class, product);
            if (there >= quantity) {
                carrier.book();
                row.set("quantity", there - quantity).execute(jdbc, DecLockContext.currentToken());
            }
        }
        // end::claimed[]
    }

    // tag::outer[]
    @Service
    static class Checkout {
        private final Stock stock;
        private final Carrier carrier;

        Checkout(Stock stock, Carrier carrier) {
            this.stock = stock;
            this.carrier = carrier;
        }

        @Transactional
        public void checkOut(long product) {
            stock.take(product, 1);
            carrier.book();
        }
    }
    // end::outer[]

    @Autowired
    private Stock stock;

    @Autowired
    private Checkout checkout;

    @Autowired
    private Carrier carrier;

    @Autowired
    private JdbcTemplate jdbc;

    @Autowired
    private TestLocks locks;

    @BeforeEach
    void tenInStock() {
        jdbc.execute("drop table if exists stock");
        // tag::fence-column[]
        jdbc.execute("create table stock (id bigint primary key, quantity int, fence bigint not null default 0)");
        // end::fence-column[]
        jdbc.update("insert into stock (id, quantity) values (7, 10)");
    }

    @AfterEach
    void free() {
        carrier.call = () -> {};
        locks.reset();
    }

    @Test
    void whatWasWrittenIsCommittedBeforeTheLockIsReleased() {
        AtomicReference<CompletableFuture<Integer>> seen = new AtomicReference<>();
        carrier.call = () -> {
            seen.set(CompletableFuture.supplyAsync(() -> {
                locks.holdElsewhere("stock:7");
                return quantity();
            }));
            assertThat(seen.get()).failsWithin(Duration.ofMillis(200));
        };
        stock.sell(7, 3);
        assertThat(seen.get()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(7);
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void aLostLockRollsTheTransactionBack() {
        carrier.call = () -> locks.lose("stock:7");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> stock.sell(7, 3));
        assertThat(quantity()).isEqualTo(10);
    }

    @Test
    void theLockOutlastsTheMethodUntilTheCallersTransactionIsCommitted() {
        carrier.call = () -> assertThatExceptionOfType(LockNotGrantedException.class)
                .isThrownBy(
                        () -> locks.holdElsewhere(LockRequest.write("stock:7").waitTime(Duration.ZERO)));
        checkout.checkOut(7);
        assertThat(quantity()).isEqualTo(9);
        locks.holdElsewhere("stock:7");
    }

    @Test
    void theCallersTransactionIsRolledBackToo() {
        carrier.call = () -> locks.lose("stock:7");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> checkout.checkOut(7));
        assertThat(quantity()).isEqualTo(10);
    }

    @Test
    void theTokenRefusesAHolderThatWasOvertaken() {
        carrier.call = () -> {
            locks.lose("stock:7");
            long later = locks.holdElsewhere("stock:7").fencingToken();
            jdbc.update("update stock set fence = ? where id = 7", later);
        };
        assertThatExceptionOfType(FencedOffException.class).isThrownBy(() -> stock.sellFenced(7, 3));
        assertThat(quantity()).isEqualTo(10);
    }

    @Test
    void anOlderHolderCannotWriteBetweenTheReadAndTheWriteOfANewerOne() {
        AtomicReference<CompletableFuture<Integer>> older = new AtomicReference<>();
        carrier.call = () -> {
            older.set(CompletableFuture.supplyAsync(() -> FencedUpdate.of("stock")
                    .set("quantity", 0)
                    .where("id = ?", 7)
                    .execute(jdbc, 1)));
            assertThat(older.get()).failsWithin(Duration.ofMillis(200));
        };
        stock.sellIfThere(7, 3);
        assertThat(older.get())
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .withCauseInstanceOf(FencedOffException.class);
        assertThat(quantity()).isEqualTo(7);
    }

    private int quantity() {
        return jdbc.queryForObject("select quantity from stock where id = 7", Integer.class);
    }
}
