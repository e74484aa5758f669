// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The shop's HTTP interface. */
@RestController
class ShopController {
    private final OrderDesk desk;
    private final OrderBook orders;
    private final Turnover turnover;
    private final Bookkeeper bookkeeper;

    ShopController(OrderDesk desk, OrderBook orders, Turnover turnover, Bookkeeper bookkeeper) {
        this.bookkeeper = bookkeeper;
        this.desk = desk;
        this.orders = orders;
        this.turnover = turnover;
    }

    /** Takes an order, under the product's write lock. */
    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    Receipt place(@RequestBody Order order) {
        Receipt receipt = desk.place(order);
        turnover.countAccepted();
        return receipt;
    }

    /** Shows a product, under its read lock. */
    @GetMapping("/products/{id}")
    Product show(@PathVariable String id) {
        if (!Order.isProductId(id)) {
            throw new UnknownProductException(id);
        }
        return desk.show(id);
    }

    /** Enters the orders for a product in the books, from where the last instance stopped. */
    @PostMapping("/products/{id}/books")
    Bookkeeper.Books enter(@PathVariable String id) throws InterruptedException {
        if (!Order.isProductId(id)) {
            throw new UnknownProductException(id);
        }
        return bookkeeper.enter(id);
    }

    /** Lists the products as the database has them at this moment. */
    @GetMapping("/products")
    List<Product> list() {
        return orders.products();
    }
}
