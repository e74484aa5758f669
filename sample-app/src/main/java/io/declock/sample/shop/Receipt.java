// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/**
 * The answer to an accepted order.
 *
 * @param product id of the product
 * @param quantity number of pieces
 * @param left pieces left afterwards, as far as this order could see
 * @param token fencing token under which the order was taken, 0 without a lock
 */
public record Receipt(String product, int quantity, int left, long token) {}
