// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The shop's tables. Selling reads the stock, checks it and writes back the rest: this is correct only if no other order sells the same
 * product meanwhile, which the lock ensures. Thread-safe.
 */
public class OrderBook {
    private final JdbcClient jdbc;
    private final InstanceName instance;

    /** Makes one on a database that has the tables of {@link ShopSchema}. */
    public OrderBook(JdbcClient jdbc, InstanceName instance) {
        this.jdbc = jdbc;
        this.instance = instance;
    }

    /**
     * Sells under a lock.
     *
     * @param token the lock's fencing token; the database remembers the highest per product and refuses a lower one
     */
    Receipt sell(Order order, long token) {
        int left = left(order);
        int updated = jdbc.sql("update product set stock = ?, fence = ? where id = ? and fence <= ?")
                .params(left, token, order.product(), token)
                .update();
        if (updated == 0) {
            throw new StaleTokenException(order.product(), token);
        }
        return record(order, left, token);
    }

    /** Sells without a lock. */
    Receipt sellUnfenced(Order order) {
        int left = left(order);
        jdbc.sql("update product set stock = ? where id = ?")
                .params(left, order.product())
                .update();
        return record(order, left, 0);
    }

    private int left(Order order) {
        int stock = find(order.product()).stock();
        if (stock < order.quantity()) {
            throw new SoldOutException(order, stock);
        }
        return stock - order.quantity();
    }

    private Receipt record(Order order, int left, long token) {
        jdbc.sql("insert into shop_order (product, quantity, token, instance, placed_at) values (?, ?, ?, ?, ?)")
                .params(
                        order.product(),
                        order.quantity(),
                        token,
                        instance.get(),
                        new Timestamp(System.currentTimeMillis()))
                .update();
        return new Receipt(order.product(), order.quantity(), left, token);
    }

    /** Returns a product. */
    Product find(String id) {
        return jdbc.sql("select id, name, initial_stock, stock from product where id = ?")
                .param(id)
                .query(OrderBook::productOf)
                .optional()
                .orElseThrow(() -> new UnknownProductException(id));
    }

    /** Returns every product. */
    public List<Product> products() {
        return jdbc.sql("select id, name, initial_stock, stock from product order by position")
                .query(OrderBook::productOf)
                .list();
    }

    /** Returns the sales of each product. */
    public List<Sales> sales() {
        return jdbc.sql("""
                        select p.id as product, p.name as name, p.initial_stock as initial_stock, p.stock as stock,
                               coalesce(sum(o.quantity), 0) as sold, count(o.id) as orders
                        from product p left join shop_order o on o.product = p.id
                        group by p.id, p.name, p.initial_stock, p.stock, p.position
                        order by p.position""").query(OrderBook::salesOf).list();
    }

    /** Returns the number of accepted orders that share their token with another order for the same product. */
    public long ordersThatShareAToken() {
        return jdbc.sql("select count(*) - count(distinct product || ':' || token) from shop_order where token > 0")
                .query(Long.class)
                .single();
    }

    private static Product productOf(ResultSet row, int number) throws SQLException {
        return new Product(
                row.getString("id"), row.getString("name"), row.getInt("initial_stock"), row.getInt("stock"));
    }

    private static Sales salesOf(ResultSet row, int number) throws SQLException {
        return new Sales(
                row.getString("product"),
                row.getString("name"),
                row.getInt("initial_stock"),
                row.getInt("stock"),
                row.getLong("sold"),
                row.getLong("orders"));
    }
}
