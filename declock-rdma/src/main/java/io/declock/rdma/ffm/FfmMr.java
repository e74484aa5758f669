// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** A {@code struct ibv_mr}. Thread-safe. */
final class FfmMr extends IbvMr {
    private static final StructLayout LAYOUT = Layouts.IBV_MR;

    private final MemorySegment pointer;

    FfmMr(IbvContext context, MemorySegment pointer, long address, long length, int access) throws IOException {
        super(
                context,
                address,
                // DiSNI stores the length as an int. This module never reads it.
                (int) Math.min(length, Integer.MAX_VALUE),
                access,
                pointer.get(JAVA_INT, Layouts.offset(LAYOUT, "lkey")),
                pointer.get(JAVA_INT, Layouts.offset(LAYOUT, "rkey")),
                pointer.get(JAVA_INT, Layouts.offset(LAYOUT, "handle")));
        this.pointer = pointer;
    }

    MemorySegment pointer() {
        return pointer;
    }
}
