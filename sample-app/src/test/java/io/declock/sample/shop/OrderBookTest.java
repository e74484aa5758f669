// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.sample.shop.ShopProperties.Locking;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The tables: selling, and the fence. */
class OrderBookTest {
    private OrderBook orders;
    private ShopSchema schema;

    @BeforeEach
    void open() {
        DriverManagerDataSource database =
                new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        JdbcClient jdbc = JdbcClient.create(database);
        ShopProperties properties = new ShopProperties(Locking.ON, "test", 12, 10);
        schema = new ShopSchema(database, jdbc, properties);
        schema.create();
        orders = new OrderBook(jdbc, new InstanceName(properties));
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

        assertThatThrownBy(() -> orders.sell(new Order("kettle", 1), 6)).isInstanceOf(StaleTokenException.class);
        assertThat(orders.find("kettle").stock()).isEqualTo(9);
        assertThat(orders.sell(new Order("lamp", 1), 6).left()).isEqualTo(9);
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
    }

    @Test
    void keepsWhatIsThereWhenOpenedAgain() {
        orders.sell(new Order("kettle", 1), 7);
        schema.create();

        assertThat(orders.products()).hasSize(12);
        assertThat(orders.products().get(0).stock()).isEqualTo(9);
        assertThat(orders.products().get(11)).isEqualTo(new Product("item-12", "Item 12", 10, 10));
    }
}
