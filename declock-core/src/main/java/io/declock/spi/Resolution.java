// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * The location of a name's lock record.
 *
 * @param record offset in the region
 * @param epoch the record's full epoch when it was resolved
 * @param mayBeLeftBehind whether the queue may have a position of a compute node that has ended, so that a caller who finds the lock taken
 *     has reason to ask whether anybody holds it
 */
public record Resolution(long record, long epoch, boolean mayBeLeftBehind) {}
