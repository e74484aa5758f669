// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/**
 * A product as the database has it.
 *
 * @param id what orders call it
 * @param name what people call it
 * @param initialStock how many there were at first
 * @param stock how many are left
 */
public record Product(String id, String name, int initialStock, int stock) {}
