// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import io.declock.spring.jdbc.FencedOffException;
import io.declock.spring.jdbc.FencedUpdate;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The shop's tables. Selling reads the stock, checks it and writes back the rest: this is correct only if no other order sells the same
 * product meanwhile, which the lock ensures. Thread-safe.
 */
public class OrderBook {
    private final JdbcOperations operations;
    private final JdbcClient jdbc;
    private final InstanceName instance;

    /** Makes one on a database that has the tables of {@link ShopSchema}. */
    public OrderBook(JdbcOperations operations, InstanceName instance) {
        this.operations = operations;
        this.jdbc = JdbcClient.create(operations);
        this.instance = instance;
    }

    /**
     * Sells under a lock, in a transaction.
     *
     * @param token the lock's fencing token; the database remembers the highest per product and refuses a lower one
     * @throws FencedOffException if an order with a higher token came first
     */
    Receipt sell(Order order, long token) {
        FencedUpdate product = FencedUpdate.of("product").where("id = ?", order.product());
        // Before the stock is read. An order with an older token may have been stopped before its commit, and would
        // change the stock between this order's read and its write: nothing else tells the database of this token.
        product.claim(operations, token);
        int left = left(order);
        product.set("stock", left).execute(operations, token);
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
        jdbc.sql("insert into shop_order (product, quantity, token, remaining, instance, placed_at)"
                        + " values (?, ?, ?, ?, ?, ?)")
                .params(
                        order.product(),
                        order.quantity(),
                        token,
                        left,
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

    /**
     * An accepted order.
     *
     * @param id its id; orders for one product have ids in the order of their locks
     * @param quantity pieces that it sold
     */
    record Accepted(long id, int quantity) {}

    /** Returns the next orders for a product that were accepted after that one. */
    List<Accepted> acceptedAfter(String product, long id, int most) {
        return jdbc.sql("select id, quantity from shop_order where product = ? and id > ? order by id fetch first "
                        + most + " rows only")
                .params(product, id)
                .query((row, number) -> new Accepted(row.getLong("id"), row.getInt("quantity")))
                .list();
    }

    /** Returns the number of accepted orders that share their token with another order for the same product. */
    public long ordersThatShareAToken() {
        return jdbc.sql("select count(*) - count(distinct product || ':' || token) from shop_order where token > 0")
                .query(Long.class)
                .single();
    }

    /**
     * Describes orders that did not see what the order before them had left of the product, the first few: they have overwritten it. Orders of one
     * product have ids in the order of their locks, and orders without a lock are not described.
     */
    public List<String> overwritingOrders() {
        return jdbc.sql("""
                        select * from (
                          select o.*, p.initial_stock as initial_stock, lag(o.id) over same as former_id,
                                 lag(o.remaining) over same as former_remaining, lag(o.token) over same as former_token,
                                 lag(o.instance) over same as former_instance, lag(o.placed_at) over same as former_placed_at
                          from shop_order o join product p on p.id = o.product
                          window same as (partition by o.product order by o.id)) as chain
                        where token > 0 and remaining + quantity
                            <> case when former_id is null then initial_stock else former_remaining end
                        order by id fetch first 3 rows only""").query(OrderBook::overwritingOf).list();
    }

    private static String overwritingOf(ResultSet row, int number) throws SQLException {
        Timestamp formerAt = row.getTimestamp("former_placed_at");
        String former = formerAt == null
                ? "it is the first, and %d were there".formatted(row.getInt("initial_stock"))
                : "before it order %d (token %d, %s, %s) had left %d"
                        .formatted(
                                row.getLong("former_id"),
                                row.getLong("former_token"),
                                row.getString("former_instance"),
                                formerAt.toInstant(),
                                row.getInt("former_remaining"));
        return "order %d for '%s' (%d pieces, token %d, %s, %s) left %d; %s"
                .formatted(
                        row.getLong("id"),
                        row.getString("product"),
                        row.getInt("quantity"),
                        row.getLong("token"),
                        row.getString("instance"),
                        row.getTimestamp("placed_at").toInstant(),
                        row.getInt("remaining"),
                        former);
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
