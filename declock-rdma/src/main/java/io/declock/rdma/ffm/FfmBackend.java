// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.DeviceLimits;
import io.declock.rdma.verbs.Errno;
import io.declock.rdma.verbs.Layouts;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The backend on libibverbs and librdmacm by Java's foreign function interface. Thread-safe. */
@SuppressWarnings("restricted") // The libraries return pointers without a size; reinterpret sets it.
public final class FfmBackend implements VerbsBackend {
    /** Name of this backend. */
    public static final String NAME = "ffm";

    private static final Logger LOG = LoggerFactory.getLogger(FfmBackend.class);

    private final FfmLibraries libraries;
    private final FfmProvider provider;

    FfmBackend(FfmLibraries libraries) {
        this.libraries = libraries;
        this.provider = new FfmProvider(libraries);
    }

    /**
     * Loads the libraries, binds the functions that are used, and checks them.
     *
     * @throws IOException if a library or a function is missing
     */
    public static FfmBackend load() throws IOException {
        return new FfmBackend(FfmLibraries.load());
    }

    /** Returns the provider for DiSNI. */
    public RdmaProvider provider() {
        return provider;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean readsPrivateData() {
        return true;
    }

    @Override
    public int postSend(IbvQP qp, long workRequest) {
        return ((FfmQp) qp).postSend(workRequest);
    }

    @Override
    public int postRecv(IbvQP qp, long workRequest) {
        return ((FfmQp) qp).postRecv(workRequest);
    }

    @Override
    public int pollCq(IbvCQ cq, int entries, long completions) {
        return ((FfmCq) cq).poll(entries, completions);
    }

    @Override
    public int requestNotify(IbvCQ cq) {
        return ((FfmCq) cq).reqNotify(false);
    }

    @Override
    public boolean awaitCqEvent(IbvCompChannel channel, @Nullable IbvCQ any, int timeoutMillis) throws IOException {
        MemorySegment cq = provider.verbs().awaitCqEvent((FfmCompChannel) channel, timeoutMillis);
        if (cq == null) {
            return false;
        }
        provider.verbs().ack(cq);
        return true;
    }

    @Override
    public boolean canWake() {
        return true;
    }

    @Override
    public void wake(IbvCompChannel channel) {
        raise(((FfmCompChannel) channel).wakeFd());
    }

    @Override
    public void wake(RdmaEventChannel channel) {
        raise(((FfmEventChannel) channel).wakeFd());
    }

    private void raise(int eventfd) {
        try {
            libraries.libc().raise(eventfd);
        } catch (NativeCallException e) {
            // EAGAIN: the counter is at its bound, so the waiting thread is being woken already.
            if (e.errno() != Errno.EAGAIN.number()) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public @Nullable CmEvent awaitCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
        FfmCmEvent event = (FfmCmEvent) provider.cm().getCmEvent(channel, timeoutMillis);
        if (event == null) {
            return null;
        }
        try {
            return copy(event);
        } finally {
            // Acknowledge every event: an id with an unacknowledged event can never be destroyed.
            provider.cm().ackCmEvent(event);
        }
    }

    /** Copies an event; returns null for an event type that a later release of the library has added. */
    private static @Nullable CmEvent copy(FfmCmEvent event) {
        int type = event.getEvent();
        if (type < 0 || type >= NAMES.length) {
            LOG.debug("Event {} of the connection manager is unknown", type);
            return null;
        }
        return new CmEvent(
                EventType.valueOf("RDMA_CM_EVENT_" + NAMES[type]),
                event.getStatus(),
                event.getConnIdPriv(),
                event.getListenIdPriv(),
                event.privateData());
    }

    /** Names of {@code enum rdma_cm_event_type} in order, without their common prefix. */
    private static final String[] NAMES = {
        "ADDR_RESOLVED",
        "ADDR_ERROR",
        "ROUTE_RESOLVED",
        "ROUTE_ERROR",
        "CONNECT_REQUEST",
        "CONNECT_RESPONSE",
        "CONNECT_ERROR",
        "UNREACHABLE",
        "REJECTED",
        "ESTABLISHED",
        "DISCONNECTED",
        "DEVICE_REMOVAL",
        "MULTICAST_JOIN",
        "MULTICAST_ERROR",
        "ADDR_CHANGE",
        "TIMEWAIT_EXIT"
    };

    @Override
    public void resolveAddress(
            RdmaCmId id, @Nullable InetSocketAddress source, InetSocketAddress target, int timeoutMillis)
            throws IOException {
        provider.cm().resolveAddr(id, source, target, timeoutMillis);
    }

    @Override
    public void ackTimeout(RdmaCmId id, int exponent) throws IOException {
        provider.cm().setOption(id, Constants.RDMA_OPTION_ID, Constants.RDMA_OPTION_ID_ACK_TIMEOUT, (byte) exponent);
    }

    @Override
    public void connect(RdmaCmId id, ConnectionParameters parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            provider.cm().connect(id, connParam(arena, parameters));
        }
    }

    @Override
    public void accept(RdmaCmId id, ConnectionParameters parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            provider.cm().accept(id, connParam(arena, parameters));
        }
    }

    private static RdmaConnParam connParam(Arena arena, ConnectionParameters parameters) {
        return new FfmConnParam(
                arena.allocateFrom(JAVA_BYTE, parameters.privateData()).address(), parameters);
    }

    @Override
    public void reject(RdmaCmId id, byte[] privateData) throws IOException {
        provider.cm().reject(id, privateData);
    }

    @Override
    public IbvMr register(IbvPd pd, long address, long length, int access) throws IOException {
        return provider.verbs().register(pd, address, length, access);
    }

    @Override
    public void toError(RdmaCmId id) throws IOException {
        if (!(id.getQp() instanceof FfmQp qp)) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(Layouts.IBV_QP_ATTR);
            attributes.set(JAVA_INT, Layouts.offset(Layouts.IBV_QP_ATTR, "qp_state"), Constants.IBV_QPS_ERR);
            libraries.verbs().ibv_modify_qp.orErrno(qp.pointer(), attributes, Constants.IBV_QP_STATE);
        }
    }

    @Override
    public void rnrTimer(IbvQP qp, int code) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(Layouts.IBV_QP_ATTR);
            attributes.set(JAVA_INT, Layouts.offset(Layouts.IBV_QP_ATTR, "qp_state"), Constants.IBV_QPS_RTS);
            attributes.set(JAVA_BYTE, Layouts.offset(Layouts.IBV_QP_ATTR, "min_rnr_timer"), (byte) code);
            libraries
                    .verbs()
                    .ibv_modify_qp
                    .orErrno(
                            ((FfmQp) qp).pointer(),
                            attributes,
                            Constants.IBV_QP_STATE | Constants.IBV_QP_MIN_RNR_TIMER);
        }
    }

    @Override
    public void use(IbvContext context) {
        libraries.contexts().use((FfmContext) context);
    }

    @Override
    public void forget(IbvContext context) {
        libraries.contexts().forget((FfmContext) context);
    }

    @Override
    public void removed(IbvContext context) {
        libraries.contexts().removed((FfmContext) context);
    }

    @Override
    public DeviceLimits query(IbvContext context, int port) throws IOException {
        MemorySegment pointer = ((FfmContext) context).pointer();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = arena.allocate(Layouts.IBV_DEVICE_ATTR);
            libraries.verbs().ibv_query_device.orErrno(pointer, device);
            MemorySegment link = arena.allocate(Layouts.IBV_PORT_ATTR);
            libraries.verbs().ibv_query_port.orErrno(pointer, (byte) port, link);
            return new DeviceLimits(
                    name(pointer.get(ADDRESS, Layouts.offset(Layouts.IBV_CONTEXT, "device"))),
                    get(device, "max_qp"),
                    get(device, "max_qp_wr"),
                    get(device, "max_qp_init_rd_atom"),
                    get(device, "max_qp_rd_atom"),
                    get(device, "atomic_cap") != Constants.IBV_ATOMIC_NONE,
                    link.get(JAVA_INT, Layouts.offset(Layouts.IBV_PORT_ATTR, "state")) == Constants.IBV_PORT_ACTIVE);
        }
    }

    private static int get(MemorySegment device, String field) {
        return device.get(JAVA_INT, Layouts.offset(Layouts.IBV_DEVICE_ATTR, field));
    }

    private String name(MemorySegment device) throws NativeCallException {
        return libraries
                .verbs()
                .ibv_get_device_name
                .orNull(device)
                .reinterpret(64)
                .getString(0);
    }

    @Override
    public String queuePairState(IbvQP qp) {
        try (Arena arena = Arena.ofConfined()) {
            StructLayout layout = Layouts.IBV_QP_ATTR;
            MemorySegment attributes = arena.allocate(layout);
            MemorySegment initial = arena.allocate(Layouts.IBV_QP_INIT_ATTR);
            libraries.verbs().ibv_query_qp.orErrno(((FfmQp) qp).pointer(), attributes, Constants.IBV_QP_STATE, initial);
            int state = attributes.get(JAVA_INT, Layouts.offset(layout, "qp_state"));
            return state >= 0 && state < STATES.length ? STATES[state] : "state " + state;
        } catch (NativeCallException e) {
            return "unknown: " + e.getMessage();
        }
    }

    /** {@code enum ibv_qp_state} in order. */
    private static final String[] STATES = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
}
