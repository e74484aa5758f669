// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A holder's request to store a value, or to remove it (rules V1 and V2 of docs/protocol.md).
 *
 * @param record the record's address, from its resolution
 * @param epoch full epoch of the position that holds the lock
 * @param index queue index of that position
 * @param token fencing token of the hold
 * @param bytes the value, of at most {@value StoredValue#MAX_BYTES} bytes; null to remove it
 */
@SuppressWarnings("ArrayRecordComponent") // equals and hashCode compare contents; the array goes to the network.
public record ValueWriting(long record, long epoch, int index, long token, byte @Nullable [] bytes) {
    @Override
    public boolean equals(Object other) {
        return other instanceof ValueWriting that
                && record == that.record
                && epoch == that.epoch
                && index == that.index
                && token == that.token
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(token) * 31 + Long.hashCode(record);
    }
}
