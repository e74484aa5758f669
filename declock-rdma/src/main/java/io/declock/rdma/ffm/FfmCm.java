// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** DiSNI's connection manager on librdmacm; see rdma_cm(7). Thread-safe as far as librdmacm is: one thread per id. */
@SuppressWarnings("restricted") // The libraries return pointers without a size; reinterpret sets it.
final class FfmCm extends RdmaCm {
    private static final StructLayout CONN_PARAM = Layouts.RDMA_CONN_PARAM;
    private static final StructLayout QP_INIT_ATTR = Layouts.IBV_QP_INIT_ATTR;

    private final LibRdmaCm lib;
    private final LibC libc;
    private final FfmContexts contexts;

    FfmCm(FfmLibraries libraries) {
        this.lib = libraries.cm();
        this.libc = libraries.libc();
        this.contexts = libraries.contexts();
    }

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        MemorySegment channel =
                lib.rdma_create_event_channel.orNull().reinterpret(Layouts.RDMA_EVENT_CHANNEL.byteSize());
        LayoutCheck.channel(libc, channel);
        int fd = channel.get(JAVA_INT, Layouts.offset(Layouts.RDMA_EVENT_CHANNEL, "fd"));
        libc.nonBlocking(fd);
        return new FfmEventChannel(channel, libc.eventfd());
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) throws IOException {
        FfmEventChannel ffm = (FfmEventChannel) channel;
        ffm.close();
        lib.rdma_destroy_event_channel.orNothing(ffm.pointer());
        libc.close(ffm.wakeFd());
        return 0;
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short ps) throws IOException {
        FfmEventChannel ffm = (FfmEventChannel) channel;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(ADDRESS);
            lib.rdma_create_id.orMinusOne(ffm.pointer(), result, MemorySegment.NULL, (int) ps);
            MemorySegment id = result.get(ADDRESS, 0).reinterpret(Layouts.RDMA_CM_ID.byteSize());
            LayoutCheck.id(id, ffm.pointer(), ps);
            return known(ffm, id);
        }
    }

    private RdmaCmId known(FfmEventChannel channel, MemorySegment pointer) throws IOException {
        FfmCmId id = new FfmCmId(channel, pointer, contexts);
        channel.ids().put(pointer.address(), id);
        return id;
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
        ((FfmEventChannel) id.getCmChannel()).ids().remove(pointer(id).address());
        id.close();
        return lib.rdma_destroy_id.orMinusOne(pointer(id));
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            lib.rdma_bind_addr.orMinusOne(pointer(id), SocketAddresses.write(arena, address));
        }
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
        lib.rdma_listen.orMinusOne(pointer(id), backlog);
    }

    @Override
    public void resolveAddr(RdmaCmId id, @Nullable SocketAddress source, SocketAddress destination, int timeoutMillis)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = source == null ? MemorySegment.NULL : SocketAddresses.write(arena, source);
            lib.rdma_resolve_addr.orMinusOne(
                    pointer(id), from, SocketAddresses.write(arena, destination), timeoutMillis);
        }
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeoutMillis) throws IOException {
        lib.rdma_resolve_route.orMinusOne(pointer(id), timeoutMillis);
    }

    /** Creates a queue pair; afterwards {@code attributes} contain the granted values. */
    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd pd, IbvQPInitAttr attributes) throws IOException {
        FfmCmId ffm = (FfmCmId) id;
        FfmCq sendCq = (FfmCq) attributes.getSend_cq();
        FfmCq recvCq = (FfmCq) attributes.getRecv_cq();
        MemorySegment domain = ((FfmPd) pd).pointer();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = arena.allocate(QP_INIT_ATTR);
            struct.set(ADDRESS, Layouts.offset(QP_INIT_ATTR, "send_cq"), sendCq.pointer());
            struct.set(ADDRESS, Layouts.offset(QP_INIT_ATTR, "recv_cq"), recvCq.pointer());
            put(struct, "max_send_wr", attributes.cap().getMax_send_wr());
            put(struct, "max_recv_wr", attributes.cap().getMax_recv_wr());
            put(struct, "max_send_sge", attributes.cap().getMax_send_sge());
            put(struct, "max_recv_sge", attributes.cap().getMax_recv_sge());
            put(struct, "max_inline_data", attributes.cap().getMax_inline_data());
            put(struct, "qp_type", attributes.getQp_type());
            put(struct, "sq_sig_all", attributes.getSq_sig_all());
            lib.rdma_create_qp.orMinusOne(ffm.pointer(), domain, struct);
            attributes.cap().setMax_send_wr(get(struct, "max_send_wr"));
            attributes.cap().setMax_recv_wr(get(struct, "max_recv_wr"));
            attributes.cap().setMax_inline_data(get(struct, "max_inline_data"));
        }
        MemorySegment pointer = ffm.pointer()
                .get(ADDRESS, Layouts.offset(Layouts.RDMA_CM_ID, "qp"))
                .reinterpret(Layouts.IBV_QP.byteSize());
        LayoutCheck.qp(pointer, domain, sendCq.pointer());
        FfmQp qp = new FfmQp(ffm.context(), pointer, pd, sendCq, recvCq);
        ffm.qp(qp);
        return qp;
    }

    private static void put(MemorySegment struct, String field, int value) {
        struct.set(JAVA_INT, Layouts.offset(QP_INIT_ATTR, field), value);
    }

    private static int get(MemorySegment struct, String field) {
        return struct.get(JAVA_INT, Layouts.offset(QP_INIT_ATTR, field));
    }

    @Override
    public int destroyQP(RdmaCmId id) {
        IbvQP qp = id.getQp();
        if (qp != null) {
            qp.close();
            lib.rdma_destroy_qp.orNothing(pointer(id));
            ((FfmCmId) id).qp(null);
        }
        return 0;
    }

    @Override
    public int destroyEp(RdmaCmId id) throws IOException {
        destroyQP(id);
        return destroyCmId(id);
    }

    @Override
    public @Nullable RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
        FfmEventChannel ffm = (FfmEventChannel) channel;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(ADDRESS);
            if (!lib.rdma_get_cm_event.orNotYet(ffm.pointer(), result)) {
                libc.awaitReadable(ffm.getFd(), ffm.wakeFd(), timeoutMillis);
                libc.lower(ffm.wakeFd());
                if (!lib.rdma_get_cm_event.orNotYet(ffm.pointer(), result)) {
                    return null;
                }
            }
            return event(ffm, result.get(ADDRESS, 0).reinterpret(Layouts.RDMA_CM_EVENT.byteSize()));
        }
    }

    private RdmaCmEvent event(FfmEventChannel channel, MemorySegment event) throws IOException {
        long id =
                event.get(ADDRESS, Layouts.offset(Layouts.RDMA_CM_EVENT, "id")).address();
        long listenId = event.get(ADDRESS, Layouts.offset(Layouts.RDMA_CM_EVENT, "listen_id"))
                .address();
        RdmaCmId known = channel.ids().get(id);
        if (known == null) {
            MemorySegment pointer = MemorySegment.ofAddress(id).reinterpret(Layouts.RDMA_CM_ID.byteSize());
            // A connection request comes with an id of its own. Any other unknown id is being destroyed by another
            // thread, which waits until this event is acknowledged.
            known = listenId == 0 ? new FfmCmId(channel, pointer, contexts) : known(channel, pointer);
        }
        return new FfmCmEvent(event, listenId == 0 ? null : channel.ids().get(listenId), known);
    }

    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        try {
            return lib.rdma_ack_cm_event.orMinusOne(((FfmCmEvent) event).pointer());
        } catch (NativeCallException e) {
            // Only an invalid event causes this; DiSNI's signature has no exception.
            return -1;
        }
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            lib.rdma_connect.orMinusOne(pointer(id), connParam(arena, parameters));
        }
    }

    @Override
    public void accept(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            lib.rdma_accept.orMinusOne(pointer(id), connParam(arena, parameters));
        }
    }

    void reject(RdmaCmId id, byte[] privateData) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            lib.rdma_reject.orMinusOne(
                    pointer(id), arena.allocateFrom(JAVA_BYTE, privateData), (byte) privateData.length);
        }
    }

    private static MemorySegment connParam(Arena arena, RdmaConnParam parameters) {
        MemorySegment struct = arena.allocate(CONN_PARAM);
        struct.set(
                ADDRESS,
                Layouts.offset(CONN_PARAM, "private_data"),
                MemorySegment.ofAddress(parameters.getPrivate_data()));
        parameter(struct, "private_data_len", parameters.getPrivate_data_len());
        parameter(struct, "responder_resources", parameters.getResponder_resources());
        parameter(struct, "initiator_depth", parameters.getInitiator_depth());
        parameter(struct, "flow_control", parameters.getFlow_control());
        parameter(struct, "retry_count", parameters.getRetry_count());
        parameter(struct, "rnr_retry_count", parameters.getRnr_retry_count());
        return struct;
    }

    private static void parameter(MemorySegment struct, String field, byte value) {
        struct.set(JAVA_BYTE, Layouts.offset(CONN_PARAM, field), value);
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
        return lib.rdma_disconnect.orMinusOne(pointer(id));
    }

    void setOption(RdmaCmId id, int level, int option, byte value) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            lib.rdma_set_option.orMinusOne(pointer(id), level, option, arena.allocateFrom(JAVA_BYTE, value), 1L);
        }
    }

    @Override
    public SocketAddress getSrcAddr(RdmaCmId id) throws IOException {
        return address(id, "src_addr");
    }

    @Override
    public SocketAddress getDstAddr(RdmaCmId id) throws IOException {
        return address(id, "dst_addr");
    }

    private static SocketAddress address(RdmaCmId id, String field) throws IOException {
        return SocketAddresses.read(pointer(id).asSlice(Layouts.offset(Layouts.RDMA_CM_ID, field), 128));
    }

    private static MemorySegment pointer(RdmaCmId id) {
        return ((FfmCmId) id).pointer();
    }
}
