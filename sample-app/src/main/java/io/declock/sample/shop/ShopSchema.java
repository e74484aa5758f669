// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import io.declock.spring.DecLocked;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.stereotype.Component;

/** Makes the tables and inserts the products, unless they exist. Instances that start at the same time take turns, by a lock. */
@Component
public class ShopSchema {
    private static final List<String> NAMES =
            List.of("Kettle", "Lamp", "Clock", "Radio", "Vase", "Chair", "Mirror", "Basket", "Candle", "Blanket");

    private final DataSource dataSource;
    private final JdbcClient jdbc;
    private final ShopProperties properties;

    /** Makes one for a database. */
    public ShopSchema(DataSource dataSource, JdbcClient jdbc, ShopProperties properties) {
        this.dataSource = dataSource;
        this.jdbc = jdbc;
        this.properties = properties;
    }

    /** Makes what does not exist. {@code create table if not exists} alone is not safe against another instance that does the same. */
    @DecLocked(name = "shop:schema")
    public void create() {
        DatabasePopulatorUtils.execute(
                new ResourceDatabasePopulator(new ClassPathResource("shop-schema.sql")), dataSource);
        addWhatEarlierReleasesLack();
        if (jdbc.sql("select count(*) from product").query(Integer.class).single() == 0) {
            for (int position = 0; position < properties.products(); position++) {
                addProduct(position);
            }
        }
    }

    /** Only if it is missing: {@code add column if not exists} waits for every order that is being placed, also if there is nothing to add. */
    private void addWhatEarlierReleasesLack() {
        int present = jdbc.sql("select count(*) from information_schema.columns where table_schema = current_schema"
                        + " and lower(table_name) = 'shop_order' and lower(column_name) = 'remaining'")
                .query(Integer.class)
                .single();
        if (present == 0) {
            jdbc.sql("alter table shop_order add column remaining integer").update();
        }
    }

    private void addProduct(int position) {
        String name = position < NAMES.size() ? NAMES.get(position) : "Item " + (position + 1);
        jdbc.sql("insert into product (id, name, position, initial_stock, stock, fence) values (?, ?, ?, ?, ?, 0)")
                .params(
                        name.toLowerCase(Locale.ROOT).replace(' ', '-'),
                        name,
                        position,
                        properties.stock(),
                        properties.stock())
                .update();
    }
}
