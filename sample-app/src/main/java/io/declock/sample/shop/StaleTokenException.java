// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/**
 * The database has stored a higher fencing token for the product: this order's lock was lost while the order was being taken, and
 * has been granted to another caller since. Nothing was sold.
 */
public class StaleTokenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public StaleTokenException(String product, long token) {
        super("The lock on '" + product + "' was lost: token " + token + " is older than the token in the database");
    }
}
