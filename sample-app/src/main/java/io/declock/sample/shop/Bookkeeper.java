// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import io.declock.Guarded;
import io.declock.GuardedValues;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Enters the orders for a product in the books, one batch after the other. How far it got is a value that belongs to the lock of its work, so the next
 * instance goes on where this one stopped, also if this one was killed. If the memory node starts again it begins at the first order; it only
 * reads, so that does no harm. Thread-safe.
 */
@Component
public class Bookkeeper {
    private static final int BATCH = 100;

    private final GuardedValues values;
    private final OrderBook orders;
    private final InstanceName instance;

    /**
     * What has been entered.
     *
     * @param order id of the last order that was entered, 0 for none
     * @param orders number of orders
     * @param pieces pieces that they sold
     * @param by the instance that entered the last one
     */
    public record Books(long order, long orders, long pieces, String by) {
        static final Books EMPTY = new Books(0, 0, 0, "");

        Books with(List<OrderBook.Accepted> batch, String by) {
            long sold = batch.stream().mapToLong(OrderBook.Accepted::quantity).sum();
            return new Books(batch.get(batch.size() - 1).id(), orders + batch.size(), pieces + sold, by);
        }
    }

    Bookkeeper(GuardedValues values, OrderBook orders, InstanceName instance) {
        this.values = values;
        this.orders = orders;
        this.instance = instance;
    }

    /** Enters every order for a product that is not in the books yet, and returns the books. */
    public Books enter(String product) throws InterruptedException {
        Guarded<Books> books = values.of("books:" + product, Books.class);
        try (Guarded.Held<Books> held = books.acquire()) {
            Books entered = held.value().orElse(Books.EMPTY);
            List<OrderBook.Accepted> batch = orders.acceptedAfter(product, entered.order(), BATCH);
            while (!batch.isEmpty()) {
                entered = entered.with(batch, instance.get());
                held.store(entered);
                batch = orders.acceptedAfter(product, entered.order(), BATCH);
            }
            return entered;
        }
    }
}
