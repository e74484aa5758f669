// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.Arrays;

/**
 * A value that a memory node keeps beside a lock's record (docs/guarded-values.md).
 *
 * @param token fencing token of the holder that stored it, the value's version
 * @param writer name of that holder's process
 * @param bytes the value, of at most {@value #MAX_BYTES} bytes; nobody changes the array
 */
@SuppressWarnings(
        "ArrayRecordComponent") // equals and hashCode compare contents; the array goes to and from the network.
public record StoredValue(long token, String writer, byte[] bytes) {
    /** Most bytes of a value. */
    public static final int MAX_BYTES = 1024;

    @Override
    public boolean equals(Object other) {
        return other instanceof StoredValue that
                && token == that.token
                && writer.equals(that.writer)
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(token) * 31 + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return bytes.length + " bytes with token " + token + " by " + writer;
    }
}
