// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.sample.shop.ShopProperties.Locking;
import io.declock.spring.jdbc.FencedOffException;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** The tables: selling, and the fence. */
class OrderBookTest {
    private OrderBook orders;
    private ShopSchema schema;
    private JdbcClient other;
    private TransactionTemplate transactions;

    @BeforeEach
    void open() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        DriverManagerDataSource database = new DriverManagerDataSource(url, "sa", "");
        JdbcTemplate operations = new JdbcTemplate(database);
        JdbcClient jdbc = JdbcClient.create(operations);
        // Shows sessions of one database to users of any transaction.
        other = JdbcClient.create(new DriverManagerDataSource(url, "sa", ""));
        transactions = new TransactionTemplate(new DataSourceTransactionManager(database));
        ShopProperties properties = new ShopProperties(Locking.ON, "test", 12, 10);
        schema = new ShopSchema(database, jdbc, properties);
        schema.create();
        orders = new OrderBook(operations, new InstanceName(properties));
    }

    @Test
    void sellsWhatIsThere() {
        assertThat(orders.sell(new Order("kettle", 3), 5)).isEqualTo(new Receipt("kettle", 3, 7, 5));
        assertThat(orders.find("kettle")).isEqualTo(new Product("kettle", "Kettle", 10, 7));
        assertThat(orders.sales().get(0)).isEqualTo(new Sales("kettle", "Kettle", 10, 7, 3, 1));
        assertThat(orders.sales().get(0).consistent()).isTrue();
    }

    @Test
    void refusesWhatIsNotThere() {
        orders.sell(new Order("kettle", 8), 5);

        assertThatThrownBy(() -> orders.sell(new Order("kettle", 3), 6))
                .isInstanceOf(SoldOutException.class)
                .hasMessage("There are 2 of 'kettle' left, 3 were ordered");
        assertThatThrownBy(() -> orders.find("yacht")).isInstanceOf(UnknownProductException.class);
    }

    @Test
    void refusesATokenThatIsOlderThanOneItHasSeen() {
        orders.sell(new Order("kettle", 1), 7);

        assertThatThrownBy(() -> orders.sell(new Order("kettle", 1), 6)).isInstanceOf(FencedOffException.class);
        assertThat(orders.find("kettle").stock()).isEqualTo(9);
        assertThat(orders.sell(new Order("lamp", 1), 6).left()).isEqualTo(9);
    }

    /** Its process is stopped after the last look at its lock, and goes on when the lock is another order's. */
    @Test
    void anOlderOrderThatIsCommittedLateIsNotOverwritten() throws Exception {
        FutureTask<Receipt> newer =
                new FutureTask<>(() -> transactions.execute(newTransaction -> orders.sell(new Order("kettle", 2), 6)));
        transactions.executeWithoutResult(older -> {
            orders.sell(new Order("kettle", 3), 5);
            new Thread(newer, "newer-order").start();
            awaitBlockedTransaction();
        });

        assertThat(newer.get(20, TimeUnit.SECONDS).left()).isEqualTo(5);
        assertThat(orders.sales().get(0).consistent()).isTrue();
        assertThat(orders.overwritingOrders()).isEmpty();
    }

    @Test
    void namesOrdersThatOverwroteOthers() {
        orders.sell(new Order("kettle", 3), 5);
        orders.sell(new Order("lamp", 1), 5);
        other.sql("update product set stock = 10 where id = 'kettle'").update();
        orders.sell(new Order("kettle", 2), 6);
        orders.sell(new Order("kettle", 1), 7);

        assertThat(orders.overwritingOrders())
                .singleElement()
                .asString()
                .contains("order 3 for 'kettle' (2 pieces, token 6,", "left 8", "order 1 (token 5,", "had left 7");
    }

    @Test
    void worksWithADatabaseOfAnEarlierRelease() {
        orders.sell(new Order("kettle", 3), 5);
        other.sql("alter table shop_order drop column remaining").update();
        schema.create();
        schema.create();
        orders.sell(new Order("kettle", 2), 6);

        assertThat(orders.overwritingOrders()).isEmpty();
    }

    @Test
    void countsOrdersThatShareAToken() {
        orders.sell(new Order("kettle", 1), 7);
        orders.sell(new Order("lamp", 1), 7);
        assertThat(orders.ordersThatShareAToken()).isZero();

        orders.sell(new Order("kettle", 1), 7);
        assertThat(orders.ordersThatShareAToken()).isEqualTo(1);
    }

    @Test
    void sellsUnfencedWithoutAToken() {
        assertThat(orders.sellUnfenced(new Order("kettle", 1)).token()).isZero();
        assertThat(orders.sellUnfenced(new Order("kettle", 1)).left()).isEqualTo(8);
        assertThat(orders.ordersThatShareAToken()).isZero();
        orders.sell(new Order("kettle", 1), 7);
        assertThat(orders.overwritingOrders()).isEmpty();
    }

    @Test
    void keepsWhatIsThereWhenOpenedAgain() {
        orders.sell(new Order("kettle", 1), 7);
        schema.create();

        assertThat(orders.products()).hasSize(12);
        assertThat(orders.products().get(0).stock()).isEqualTo(9);
        assertThat(orders.products().get(11)).isEqualTo(new Product("item-12", "Item 12", 10, 10));
    }

    private void awaitBlockedTransaction() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        do {
            assertThat(System.nanoTime())
                    .as("a transaction waits for another one")
                    .isLessThan(deadline);
        } while (!other.sql("select count(*) from information_schema.sessions where blocker_id is not null")
                .query(Integer.class)
                .single()
                .equals(1));
    }
}
