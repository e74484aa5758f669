// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A {@code struct ibv_pd}. Thread-safe. */
final class FfmPd extends IbvPd {
    private final MemorySegment pointer;

    FfmPd(FfmContext context, MemorySegment pointer) throws IOException {
        super(context);
        this.pointer = pointer;
    }

    MemorySegment pointer() {
        return pointer;
    }
}
