// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * Compares the values that the loaded libraries wrote into their structs with the expected ones, at the offsets of {@link Layouts}. A
 * library whose structs differ is refused before any request is posted. The checks cost a few loads per object, never per verb.
 */
final class LayoutCheck {
    private static final int MOST_COMP_VECTORS = 65_536;

    private LayoutCheck() {}

    static void channel(LibC libc, MemorySegment channel) throws IOException {
        int fd = channel.get(JAVA_INT, Layouts.offset(Layouts.RDMA_EVENT_CHANNEL, "fd"));
        require(libc.isOpen(fd), "struct rdma_event_channel", "fd", fd);
    }

    static void id(MemorySegment id, MemorySegment channel, int ps) throws IOException {
        pointer(id, Layouts.RDMA_CM_ID, "channel", channel, "struct rdma_cm_id");
        int found = id.get(JAVA_INT, Layouts.offset(Layouts.RDMA_CM_ID, "ps"));
        require(found == ps, "struct rdma_cm_id", "ps", found);
    }

    static void context(LibC libc, MemorySegment context) throws IOException {
        String struct = "struct ibv_context";
        for (String function : new String[] {"poll_cq", "req_notify_cq", "post_send", "post_recv"}) {
            long address = context.get(ADDRESS, Layouts.offset(Layouts.IBV_CONTEXT, function))
                    .address();
            require(address != 0, struct, "ops." + function, address);
        }
        int fd = context.get(JAVA_INT, Layouts.offset(Layouts.IBV_CONTEXT, "cmd_fd"));
        require(libc.isOpen(fd), struct, "cmd_fd", fd);
        int vectors = context.get(JAVA_INT, Layouts.offset(Layouts.IBV_CONTEXT, "num_comp_vectors"));
        require(vectors > 0 && vectors < MOST_COMP_VECTORS, struct, "num_comp_vectors", vectors);
    }

    static void pd(MemorySegment pd, MemorySegment context) throws IOException {
        pointer(pd, Layouts.IBV_PD, "context", context, "struct ibv_pd");
    }

    static void mr(MemorySegment mr, MemorySegment pd, long address, long length) throws IOException {
        String struct = "struct ibv_mr";
        pointer(mr, Layouts.IBV_MR, "pd", pd, struct);
        pointer(mr, Layouts.IBV_MR, "addr", MemorySegment.ofAddress(address), struct);
        long found = mr.get(JAVA_LONG, Layouts.offset(Layouts.IBV_MR, "length"));
        require(found == length, struct, "length", found);
    }

    static void cq(MemorySegment cq, MemorySegment channel, int cqe) throws IOException {
        String struct = "struct ibv_cq";
        pointer(cq, Layouts.IBV_CQ, "channel", channel, struct);
        int found = cq.get(JAVA_INT, Layouts.offset(Layouts.IBV_CQ, "cqe"));
        require(found >= cqe, struct, "cqe", found);
    }

    static void qp(MemorySegment qp, MemorySegment pd, MemorySegment sendCq) throws IOException {
        String struct = "struct ibv_qp";
        pointer(qp, Layouts.IBV_QP, "pd", pd, struct);
        pointer(qp, Layouts.IBV_QP, "send_cq", sendCq, struct);
        int type = qp.get(JAVA_INT, Layouts.offset(Layouts.IBV_QP, "qp_type"));
        require(type == Constants.IBV_QPT_RC, struct, "qp_type", type);
    }

    private static void pointer(
            MemorySegment struct, StructLayout layout, String field, MemorySegment expected, String name)
            throws IOException {
        long found = struct.get(ADDRESS, Layouts.offset(layout, field)).address();
        require(found == expected.address(), name, field, found);
    }

    private static void require(boolean holds, String struct, String field, long found) throws IOException {
        if (!holds) {
            throw new IOException("the loaded RDMA libraries use another layout of " + struct
                    + " than this release knows (" + field + " reads " + found
                    + "); use the libibverbs.so.1 and librdmacm.so.1 of an rdma-core release for 64-bit Linux");
        }
    }
}
