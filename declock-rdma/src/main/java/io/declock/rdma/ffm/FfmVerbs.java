// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** DiSNI's verbs on libibverbs. Thread-safe as far as libibverbs is. */
@SuppressWarnings("restricted") // The libraries return pointers without a size; reinterpret sets it.
final class FfmVerbs extends RdmaVerbs {
    private final LibIbverbs lib;
    private final LibC libc;

    FfmVerbs(FfmLibraries libraries) {
        this.lib = libraries.verbs();
        this.libc = libraries.libc();
    }

    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
        FfmContext ffm = (FfmContext) context;
        MemorySegment pd = lib.ibv_alloc_pd.orNull(ffm.pointer()).reinterpret(Layouts.IBV_PD.byteSize());
        LayoutCheck.pd(pd, ffm.pointer());
        return new FfmPd(ffm, pd);
    }

    @Override
    public int deallocPd(IbvPd pd) throws IOException {
        pd.close();
        lib.ibv_dealloc_pd.orErrno(((FfmPd) pd).pointer());
        return 0;
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
        FfmContext ffm = (FfmContext) context;
        MemorySegment channel =
                lib.ibv_create_comp_channel.orNull(ffm.pointer()).reinterpret(Layouts.IBV_COMP_CHANNEL.byteSize());
        libc.nonBlocking(channel.get(JAVA_INT, Layouts.offset(Layouts.IBV_COMP_CHANNEL, "fd")));
        return new FfmCompChannel(ffm, channel, libc.eventfd());
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) throws IOException {
        FfmCompChannel ffm = (FfmCompChannel) channel;
        ffm.close();
        lib.ibv_destroy_comp_channel.orErrno(ffm.pointer());
        libc.close(ffm.wakeFd());
        return 0;
    }

    @Override
    public IbvCQ createCQ(IbvContext context, @Nullable IbvCompChannel channel, int entries, int vector)
            throws IOException {
        FfmContext ffm = (FfmContext) context;
        MemorySegment events = channel == null ? MemorySegment.NULL : ((FfmCompChannel) channel).pointer();
        MemorySegment cq = lib.ibv_create_cq
                .orNull(ffm.pointer(), entries, MemorySegment.NULL, events, vector)
                .reinterpret(Layouts.IBV_CQ.byteSize());
        LayoutCheck.cq(cq, events, entries);
        return new FfmCq(ffm, channel, cq);
    }

    @Override
    public int destroyCQ(IbvCQ cq) throws IOException {
        cq.close();
        lib.ibv_destroy_cq.orErrno(((FfmCq) cq).pointer());
        return 0;
    }

    /** Waits for an event of any queue on the channel; the event must be acknowledged before its queue is destroyed. */
    @Override
    public boolean getCqEvent(IbvCompChannel channel, IbvCQ cq, int timeoutMillis) throws IOException {
        return awaitCqEvent((FfmCompChannel) channel, timeoutMillis) != null;
    }

    /** Waits for an event and returns its queue, or null. */
    @Nullable
    MemorySegment awaitCqEvent(FfmCompChannel channel, int timeoutMillis) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cq = arena.allocate(ADDRESS);
            MemorySegment context = arena.allocate(ADDRESS);
            if (!lib.ibv_get_cq_event.orNotYet(channel.pointer(), cq, context)) {
                libc.awaitReadable(channel.getFd(), channel.wakeFd(), timeoutMillis);
                libc.lower(channel.wakeFd());
                if (!lib.ibv_get_cq_event.orNotYet(channel.pointer(), cq, context)) {
                    return null;
                }
            }
            return cq.get(ADDRESS, 0);
        }
    }

    void ack(MemorySegment cq) {
        lib.ibv_ack_cq_events.orNothing(cq, 1);
    }

    @Override
    public int ackCqEvents(IbvCQ cq, int events) {
        lib.ibv_ack_cq_events.orNothing(((FfmCq) cq).pointer(), events);
        return 0;
    }

    FfmMr register(IbvPd pd, long address, long length, int access) throws IOException {
        FfmPd ffm = (FfmPd) pd;
        MemorySegment mr = lib.ibv_reg_mr
                .orNull(ffm.pointer(), MemorySegment.ofAddress(address), length, access)
                .reinterpret(Layouts.IBV_MR.byteSize());
        LayoutCheck.mr(mr, ffm.pointer(), address, length);
        return new FfmMr(ffm.getContext(), mr, address, length, access);
    }

    void deregister(IbvMr mr) throws IOException {
        mr.close();
        lib.ibv_dereg_mr.orErrno(((FfmMr) mr).pointer());
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) throws IOException {
        return regMr(pd, MemorySegment.ofBuffer(buffer).address(), buffer.remaining(), access);
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, long address, int length, int access) throws IOException {
        return new FfmCalls.RegMr(this, pd, address, length, access);
    }

    @Override
    public SVCDeregMr deregMr(IbvMr mr) throws IOException {
        return new FfmCalls.DeregMr(this, mr);
    }

    @Override
    public SVCPostSend postSend(IbvQP qp, List<IbvSendWR> requests, @Nullable List<IbvSendWR> bad) throws IOException {
        return new FfmPostSend((FfmQp) qp, requests);
    }

    @Override
    public SVCPostRecv postRecv(IbvQP qp, List<IbvRecvWR> requests, @Nullable List<IbvRecvWR> bad) throws IOException {
        return new FfmPostRecv((FfmQp) qp, requests);
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ cq, IbvWC[] completions, int entries) throws IOException {
        return new FfmCalls.PollCq((FfmCq) cq, completions, entries);
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ cq, boolean solicitedOnly) throws IOException {
        return new FfmCalls.ReqNotify((FfmCq) cq, solicitedOnly);
    }

    /** On-demand paging is not used. */
    @Override
    public int queryOdpSupport(IbvContext context) {
        return 0;
    }

    @Override
    public int expPrefetchMr(IbvMr mr, long address, int length) throws IOException {
        throw new IOException("prefetching needs on-demand paging, which is not used");
    }
}
