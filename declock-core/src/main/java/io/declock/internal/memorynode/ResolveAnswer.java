// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.Resolution;
import org.jspecify.annotations.Nullable;

/** Takes the answer to one resolution. Must not block. */
public interface ResolveAnswer {
    /**
     * The record.
     *
     * @param resolution null if the name has none and was not to be given one
     */
    void resolved(@Nullable Resolution resolution);

    /** There is none and there will be none. */
    void refused(FabricException.Refused refusal);
}
