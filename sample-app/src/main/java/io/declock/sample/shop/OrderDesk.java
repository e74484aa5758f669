// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/** Where orders are taken. */
public interface OrderDesk {
    /**
     * Takes an order.
     *
     * @throws SoldOutException if there is not enough
     * @throws UnknownProductException if there is no such product
     */
    Receipt place(Order order);

    /**
     * Shows a product in a moment in which no order for it is half done.
     *
     * @throws UnknownProductException if there is no such product
     */
    Product show(String product);
}
