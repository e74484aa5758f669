// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a memory node reads of a record at one instant: its value, and the words that show who has the lock then (rule V3 of docs/protocol.md).
 *
 * @param header the lock header
 * @param epoch the record's epoch word
 * @param value the value, or null if there is none
 */
public record ValueReading(
        long header, long epoch, @Nullable StoredValue value) {}
