// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/**
 * What was sold of one product.
 *
 * @param product id of the product
 * @param name what people call it
 * @param initialStock how many there were at first
 * @param stock how many are left, according to the product's row
 * @param sold how many were sold, according to the accepted orders
 * @param orders accepted orders
 */
public record Sales(String product, String name, int initialStock, int stock, long sold, long orders) {
    /** Returns how many were sold that were not there. */
    public long oversold() {
        return Math.max(0, sold - initialStock);
    }

    /** Returns whether what was sold and what is left add up to what there was. */
    public boolean consistent() {
        return stock >= 0 && sold + stock == initialStock;
    }
}
