// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.declock.rdma.DisniProvider;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * A simulated device: structs in our own memory whose function pointers lead back into this JVM. A test can read the posted requests,
 * and each post completes at the next poll. Not thread-safe.
 */
public final class StubDevice implements AutoCloseable {
    /** All of it, so that writing to an address makes no object. */
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final long STATUS = Layouts.offset(Layouts.IBV_WC, "status");

    private final Arena arena = Arena.ofShared();
    private final FfmQp qp;
    private final FfmCq cq;

    /** Addresses of the send requests that were posted, in order; the first of each chain. */
    public long lastPosted;

    /** How many chains were posted and not polled yet. */
    public int posted;

    /** What the next posts return. */
    public int errno;

    /** Makes one. */
    public StubDevice() throws IOException {
        DisniProvider.ensure();
        MemorySegment context = arena.allocate(Layouts.IBV_CONTEXT);
        FunctionDescriptor post = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        FunctionDescriptor poll = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
        FunctionDescriptor notify = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT);
        point(context, "post_send", "postSend", post);
        point(context, "post_recv", "postSend", post);
        point(context, "poll_cq", "pollCq", poll);
        point(context, "req_notify_cq", "reqNotifyCq", notify);
        FfmContext device = new FfmContext(context, true);
        qp = new FfmQp(device, arena.allocate(Layouts.IBV_QP), null, null, null);
        cq = new FfmCq(device, null, arena.allocate(Layouts.IBV_CQ));
    }

    private void point(MemorySegment context, String field, String method, FunctionDescriptor descriptor) {
        try {
            MethodType type = descriptor.toMethodType();
            MethodHandle target = MethodHandles.lookup().bind(this, method, type);
            MemorySegment function = Linker.nativeLinker().upcallStub(target, descriptor, arena);
            context.set(ADDRESS, Layouts.offset(Layouts.IBV_CONTEXT, field), function);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the stub has no method " + method, e);
        }
    }

    int postSend(long qpAddress, long wr, long badWr) {
        lastPosted = wr;
        if (errno == 0) {
            posted++;
        }
        return errno;
    }

    int pollCq(long cqAddress, int entries, long wc) {
        if (posted == 0) {
            return 0;
        }
        posted--;
        MEMORY.set(JAVA_LONG, wc, lastPosted);
        MEMORY.set(JAVA_INT, wc + STATUS, 0);
        return 1;
    }

    int reqNotifyCq(long cqAddress, int solicitedOnly) {
        return solicitedOnly;
    }

    /** Calls ibv_post_send through the stub. */
    public int post(long workRequest) {
        return qp.postSend(workRequest);
    }

    /** Calls ibv_poll_cq through the stub. */
    public int poll(int entries, long completions) {
        return cq.poll(entries, completions);
    }

    /** Calls ibv_req_notify_cq through the stub. */
    public int notify(boolean solicitedOnly) {
        return cq.reqNotify(solicitedOnly);
    }

    @Override
    public void close() {
        arena.close();
    }
}
