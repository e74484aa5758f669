// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * The location of a name's lock record.
 *
 * @param record offset in the region
 * @param epoch the record's full epoch when it was resolved
 */
public record Resolution(long record, long epoch) {}
