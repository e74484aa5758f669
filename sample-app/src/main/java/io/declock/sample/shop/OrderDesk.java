// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/** Takes orders. */
public interface OrderDesk {
    /**
     * Takes an order.
     *
     * @throws SoldOutException if the stock is smaller than the order
     * @throws UnknownProductException if there is no such product
     */
    Receipt place(Order order);

    /**
     * Shows a product at a moment when no order for it is half done.
     *
     * @throws UnknownProductException if there is no such product
     */
    Product show(String product);
}
