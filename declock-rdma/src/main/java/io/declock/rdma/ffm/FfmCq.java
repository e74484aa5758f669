// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A {@code struct ibv_cq}. Thread-safe. */
final class FfmCq extends IbvCQ {
    private final MemorySegment pointer;
    private final long address;
    private final InlineVerbs.Ops ops;

    FfmCq(FfmContext context, @Nullable IbvCompChannel channel, MemorySegment pointer) throws IOException {
        super(context, channel, pointer.get(JAVA_INT, Layouts.offset(Layouts.IBV_CQ, "handle")));
        this.pointer = pointer;
        this.address = pointer.address();
        this.ops = context.ops();
        this.cqe = pointer.get(JAVA_INT, Layouts.offset(Layouts.IBV_CQ, "cqe"));
    }

    MemorySegment pointer() {
        return pointer;
    }

    /** Calls ibv_poll_cq(3). */
    int poll(int entries, long wc) {
        return InlineVerbs.pollCq(ops, address, entries, wc);
    }

    /** Calls ibv_req_notify_cq(3). */
    int reqNotify(boolean solicitedOnly) {
        return InlineVerbs.reqNotifyCq(ops.reqNotifyCq(), address, solicitedOnly ? 1 : 0);
    }
}
