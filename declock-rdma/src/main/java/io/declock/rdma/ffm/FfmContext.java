// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvContext;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A {@code struct ibv_context}: an opened device. It belongs to librdmacm, which closes it once the device was removed and no connection
 * id refers to it any more. Thread-safe.
 */
final class FfmContext extends IbvContext {
    private final MemorySegment pointer;
    private final InlineVerbs.Ops ops;

    FfmContext(MemorySegment pointer, boolean callBack) throws IOException {
        super(
                pointer.get(JAVA_INT, Layouts.offset(Layouts.IBV_CONTEXT, "cmd_fd")),
                pointer.get(JAVA_INT, Layouts.offset(Layouts.IBV_CONTEXT, "num_comp_vectors")));
        this.pointer = pointer;
        this.ops = InlineVerbs.Ops.of(pointer, callBack);
    }

    MemorySegment pointer() {
        return pointer;
    }

    InlineVerbs.Ops ops() {
        return ops;
    }
}
