// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/**
 * The sales of one product.
 *
 * @param product id of the product
 * @param name name for people
 * @param initialStock stock at the start
 * @param stock pieces left, according to the product's row
 * @param sold pieces sold, according to the accepted orders
 * @param orders number of accepted orders
 */
public record Sales(String product, String name, int initialStock, int stock, long sold, long orders) {
    /** Returns how many pieces were sold beyond the initial stock. */
    public long oversold() {
        return Math.max(0, sold - initialStock);
    }

    /** Returns whether sold and left add up to the initial stock. */
    public boolean consistent() {
        return stock >= 0 && sold + stock == initialStock;
    }
}
