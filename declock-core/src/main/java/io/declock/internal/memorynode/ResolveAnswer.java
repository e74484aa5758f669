// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.Resolution;
import org.jspecify.annotations.Nullable;

/** Receives the answer to one resolution. Must not block. */
public interface ResolveAnswer {
    /**
     * The resolution succeeded.
     *
     * @param resolution the record, or null if the name has none and none was to be allocated
     */
    void resolved(@Nullable Resolution resolution);

    /** The name has no record and will not get one. */
    void refused(FabricException.Refused refusal);
}
