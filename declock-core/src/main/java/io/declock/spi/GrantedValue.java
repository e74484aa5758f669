// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a grant tells of the value that belongs to the lock: the memory node has that value, and whoever accepts the grant sees it until it stores another one (rule V5 of
 * docs/protocol.md).
 *
 * @param stored the value, or null if the memory node has none
 */
public record GrantedValue(@Nullable StoredValue stored) {
    @Override
    public String toString() {
        return stored == null ? "no value" : stored.toString();
    }
}
