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
    private static final int MAX_ID = 40;

    /** Checks the values. */
    public Order {
        if (product == null || product.isBlank()) {
            throw new IllegalArgumentException("an order needs a product");
        }
        if (!isProductId(product)) {
            throw new IllegalArgumentException(
                    "a product's id consists of at most " + MAX_ID + " letters, digits and hyphens");
        }
        if (quantity < 1 || quantity > MAX_QUANTITY) {
            throw new IllegalArgumentException("quantity must be 1 to " + MAX_QUANTITY + ", not " + quantity);
        }
    }

    /** Tells whether {@code id} can be a product's: what customers send becomes part of a lock's name. */
    static boolean isProductId(String id) {
        return id.length() <= MAX_ID && id.chars().allMatch(c -> c == '-' || c < 128 && Character.isLetterOrDigit(c));
    }
}
