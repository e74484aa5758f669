// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.declock.rdma.verbs.Layouts;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The four functions that verbs.h defines inline: a call through a pointer in {@code context->ops}. One handle per signature, not
 * bound to an address, serves every device, and is a constant for the JIT. Pointers are passed as {@code long}, which the calling
 * conventions of 64-bit Linux treat alike, so that no call allocates.
 */
@SuppressWarnings("restricted") // This class binds native functions.
final class InlineVerbs {
    /** {@code int ibv_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **bad_wr)}, and the same for receive. */
    private static final MethodHandle POST =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private static final FunctionDescriptor POLL_CQ_DESCRIPTOR =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);

    /**
     * {@code int ibv_poll_cq(struct ibv_cq *, int num_entries, struct ibv_wc *)}, bound as a critical call: it only reads memory and is
     * short, so the thread need not change its state in the JVM for it.
     */
    private static final MethodHandle POLL_CQ =
            Linker.nativeLinker().downcallHandle(POLL_CQ_DESCRIPTOR, Linker.Option.critical(false));

    /** The same function, bound for devices of tests that call back into Java, which a critical call must not do. */
    private static final MethodHandle POLL_CQ_CALLING_BACK =
            Linker.nativeLinker().downcallHandle(POLL_CQ_DESCRIPTOR);

    /** {@code int ibv_req_notify_cq(struct ibv_cq *, int solicited_only)}. */
    private static final MethodHandle REQ_NOTIFY_CQ =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    private InlineVerbs() {}

    /** The pointers of one context. */
    record Ops(
            MemorySegment pollCq,
            MemorySegment reqNotifyCq,
            MemorySegment postSend,
            MemorySegment postRecv,
            boolean callBack) {
        /** Reads them from a context. */
        static Ops of(MemorySegment context, boolean callBack) {
            return new Ops(
                    pointer(context, "poll_cq"),
                    pointer(context, "req_notify_cq"),
                    pointer(context, "post_send"),
                    pointer(context, "post_recv"),
                    callBack);
        }

        private static MemorySegment pointer(MemorySegment context, String field) {
            return context.get(ADDRESS, Layouts.offset(Layouts.IBV_CONTEXT, field));
        }
    }

    /** Calls ibv_post_send(3) or ibv_post_recv(3); returns 0 or the error's number. */
    static int post(MemorySegment function, long qp, long wr, long badWr) {
        try {
            return (int) POST.invokeExact(function, qp, wr, badWr);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Calls ibv_poll_cq(3); returns the number of completions, or a negative number. */
    static int pollCq(Ops ops, long cq, int entries, long wc) {
        try {
            return ops.callBack
                    ? (int) POLL_CQ_CALLING_BACK.invokeExact(ops.pollCq, cq, entries, wc)
                    : (int) POLL_CQ.invokeExact(ops.pollCq, cq, entries, wc);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Calls ibv_req_notify_cq(3); returns 0 or the error's number. */
    static int reqNotifyCq(MemorySegment function, long cq, int solicitedOnly) {
        try {
            return (int) REQ_NOTIFY_CQ.invokeExact(function, cq, solicitedOnly);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    private static IllegalStateException impossible(Throwable e) {
        return new IllegalStateException("a native call threw an exception", e);
    }
}
