// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

/**
 * A product as the database has it.
 *
 * @param id id in orders
 * @param name name for people
 * @param initialStock stock at the start
 * @param stock pieces left
 */
public record Product(String id, String name, int initialStock, int stock) {}
