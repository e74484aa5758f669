// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCompChannel;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A {@code struct ibv_comp_channel}, with a descriptor that wakes the thread waiting for it. Thread-safe. */
final class FfmCompChannel extends IbvCompChannel {
    private final MemorySegment pointer;
    private final int wakeFd;

    FfmCompChannel(FfmContext context, MemorySegment pointer, int wakeFd) throws IOException {
        super(pointer.get(JAVA_INT, Layouts.offset(Layouts.IBV_COMP_CHANNEL, "fd")), context);
        this.pointer = pointer;
        this.wakeFd = wakeFd;
    }

    MemorySegment pointer() {
        return pointer;
    }

    int wakeFd() {
        return wakeFd;
    }
}
