// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.jspecify.annotations.Nullable;

/** A {@code struct ibv_qp}. Posting is thread-safe, as it is in C. */
final class FfmQp extends IbvQP {
    private static final StructLayout LAYOUT = Layouts.IBV_QP;

    private final MemorySegment pointer;
    private final long address;
    private final InlineVerbs.Ops ops;
    // The libraries write here the request at which they stopped; no thread reads it, so all threads share it.
    private final MemorySegment badWr = Arena.ofAuto().allocate(ADDRESS);
    private final long badWrAddress = badWr.address();

    FfmQp(FfmContext context, MemorySegment pointer, @Nullable IbvPd pd, @Nullable IbvCQ sendCq, @Nullable IbvCQ recvCq)
            throws IOException {
        super(pointer.get(JAVA_INT, Layouts.offset(LAYOUT, "qp_num")));
        this.pointer = pointer;
        this.address = pointer.address();
        this.ops = context.ops();
        this.context = context;
        this.pd = pd;
        this.send_cq = sendCq;
        this.recv_cq = recvCq;
        this.qp_num = pointer.get(JAVA_INT, Layouts.offset(LAYOUT, "qp_num"));
        this.handle = pointer.get(JAVA_INT, Layouts.offset(LAYOUT, "handle"));
        this.qp_type = pointer.get(JAVA_INT, Layouts.offset(LAYOUT, "qp_type"));
    }

    MemorySegment pointer() {
        return pointer;
    }

    /** Calls ibv_post_send(3). */
    int postSend(long wr) {
        return InlineVerbs.post(ops.postSend(), address, wr, badWrAddress);
    }

    /** Calls ibv_post_recv(3). */
    int postRecv(long wr) {
        return InlineVerbs.post(ops.postRecv(), address, wr, badWrAddress);
    }
}
