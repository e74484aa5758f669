// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/** The stock is smaller than the order. */
public class SoldOutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public SoldOutException(Order order, int stock) {
        super("There are " + stock + " of '" + order.product() + "' left, " + order.quantity() + " were ordered");
    }
}
