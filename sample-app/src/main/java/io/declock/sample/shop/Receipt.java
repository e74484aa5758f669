// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/**
 * What a customer gets for an accepted order.
 *
 * @param product id of the product
 * @param quantity how many
 * @param left how many were left afterwards, as far as this order could see
 * @param token fencing token the order was taken under, 0 without a lock
 */
public record Receipt(String product, int quantity, int left, long token) {}
