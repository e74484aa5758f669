// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/**
 * A customer's order.
 *
 * @param product id of the product
 * @param quantity number of pieces
 */
public record Order(String product, int quantity) {
    private static final int MAX_QUANTITY = 100;

    /** Checks the values. */
    public Order {
        if (product == null || product.isBlank()) {
            throw new IllegalArgumentException("an order needs a product");
        }
        if (quantity < 1 || quantity > MAX_QUANTITY) {
            throw new IllegalArgumentException("quantity must be 1 to " + MAX_QUANTITY + ", not " + quantity);
        }
    }
}
