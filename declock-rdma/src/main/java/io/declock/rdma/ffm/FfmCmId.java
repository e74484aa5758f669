// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A {@code struct rdma_cm_id}. Not thread-safe. */
final class FfmCmId extends RdmaCmId {
    private final MemorySegment pointer;
    private final FfmContexts contexts;

    @SuppressWarnings("NullAway") // DiSNI allows an id without a device, but is not annotated.
    FfmCmId(FfmEventChannel channel, MemorySegment pointer, FfmContexts contexts) throws IOException {
        super(channel, null);
        this.pointer = pointer;
        this.contexts = contexts;
    }

    MemorySegment pointer() {
        return pointer;
    }

    /** Returns the device, or null while the address is not resolved. */
    @Override
    @SuppressWarnings("NullAway")
    public @Nullable IbvContext getVerbs() throws IOException {
        MemorySegment context = pointer.get(ADDRESS, Layouts.offset(Layouts.RDMA_CM_ID, "verbs"));
        return context.address() == 0 ? null : contexts.of(context);
    }

    @Override
    public byte getPort_num() {
        return pointer.get(JAVA_BYTE, Layouts.offset(Layouts.RDMA_CM_ID, "port_num"));
    }

    /** Returns the device. */
    FfmContext context() throws IOException {
        FfmContext context = (FfmContext) getVerbs();
        if (context == null) {
            throw new IOException("the connection id has no device before its address is resolved");
        }
        return context;
    }

    void qp(@Nullable IbvQP qp) {
        setQp(qp);
    }
}
