// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/** There is no such product. */
public class UnknownProductException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public UnknownProductException(String id) {
        super("There is no product '" + id + "'");
    }
}
