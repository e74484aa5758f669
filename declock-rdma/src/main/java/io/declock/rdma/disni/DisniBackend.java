// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.disni;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.impl.NatIbvCQ;
import com.ibm.disni.verbs.impl.NatIbvQP;
import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.rdma.verbs.DeviceLimits;
import io.declock.rdma.verbs.Errno;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The backend on DiSNI's own native library. It connects but does not accept, because the library passes on neither the private data nor
 * the status of an event. Requests are posted from this module's own memory, because DiSNI's calls do not write the fields of an atomic.
 * Thread-safe.
 */
public final class DisniBackend implements VerbsBackend {
    /** Name of this backend. */
    public static final String NAME = "disni";

    private static final EventType[] EVENTS = EventType.values();

    private final RdmaProvider provider;
    private final NativeDispatcher library;
    private final DeviceFiles files;

    private DisniBackend(LibDisni loaded) {
        this.provider = loaded.provider();
        this.library = loaded.dispatcher();
        this.files = new DeviceFiles(Path.of("/proc/self/fd"), Path.of("/sys/class"));
    }

    /**
     * Loads libdisni and checks it.
     *
     * @throws DisniUnavailableException if it cannot be used; its action says what to do
     */
    public static DisniBackend load() throws DisniUnavailableException {
        return new DisniBackend(LibDisni.load());
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
        return false;
    }

    @Override
    public int postSend(IbvQP qp, long workRequest) {
        try {
            library._postSend(((NatIbvQP) qp).getObjId(), workRequest);
            return 0;
        } catch (IOException e) {
            return Errno.numberIn(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public int postRecv(IbvQP qp, long workRequest) {
        try {
            library._postRecv(((NatIbvQP) qp).getObjId(), workRequest);
            return 0;
        } catch (IOException e) {
            return Errno.numberIn(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public int pollCq(IbvCQ cq, int entries, long completions) {
        try {
            return library._pollCQ(((NatIbvCQ) cq).getObjId(), entries, completions);
        } catch (IOException e) {
            return -Errno.numberIn(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public int requestNotify(IbvCQ cq) {
        try {
            return library._reqNotifyCQ(((NatIbvCQ) cq).getObjId(), 0);
        } catch (IOException e) {
            return Errno.numberIn(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public boolean awaitCqEvent(IbvCompChannel channel, @Nullable IbvCQ any, int timeoutMillis) throws IOException {
        if (any == null) {
            // Without a queue there is no event, so this call only waits until the timeout has passed.
            return channel.getCqEvent(null, timeoutMillis);
        }
        if (!channel.getCqEvent(any, timeoutMillis)) {
            return false;
        }
        // Destroying a queue waits until each of its events is acknowledged.
        any.ackEvents(1);
        return true;
    }

    @Override
    public boolean canWake() {
        return false;
    }

    @Override
    public void wake(IbvCompChannel channel) {
        // The library cannot wake it: the waiting thread waits for the channel alone.
    }

    @Override
    public @Nullable CmEvent awaitCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
        RdmaCmEvent event = channel.getCmEvent(timeoutMillis);
        if (event == null || event.getConnIdPriv() == null) {
            return null;
        }
        // The library has already copied and acknowledged it.
        return new CmEvent(
                EVENTS[event.getEvent()], CmEvent.UNTOLD, event.getConnIdPriv(), event.getListenIdPriv(), new byte[0]);
    }

    @Override
    public void wake(RdmaEventChannel channel) {
        // The library cannot wake it: the waiting thread waits for the channel alone.
    }

    /** Binds the id to {@code source}, because the library ignores the source of a look-up. */
    @Override
    public void resolveAddress(
            RdmaCmId id, @Nullable InetSocketAddress source, InetSocketAddress target, int timeoutMillis)
            throws IOException {
        if (!(target.getAddress() instanceof Inet4Address)) {
            throw new IOException("DiSNI's native library connects to IPv4 addresses only, not to " + target
                    + "; set declock.rdma.provider to ffm");
        }
        if (source != null) {
            id.bindAddr(source);
        }
        id.resolveAddr(source, target, timeoutMillis);
    }

    @Override
    public void ackTimeout(RdmaCmId id, int exponent) {
        // The library has no function for it: the adapter's default and the request timeout apply.
    }

    @Override
    public void rnrTimer(IbvQP qp, int code) throws IOException {
        // No messages are received on it: messages to peers go over TCP.
        throw new IOException("DiSNI's native library passes on no attributes of a queue pair");
    }

    /** Connects. The library ignores the requested numbers of READs and atomics and asks for as many as the device allows. */
    @Override
    public void connect(RdmaCmId id, ConnectionParameters parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            RdmaConnParam out = new RdmaConnParam();
            out.setPrivate_data(
                    arena.allocateFrom(JAVA_BYTE, parameters.privateData()).address());
            out.setPrivate_data_len((byte) parameters.privateData().length);
            out.setRetry_count((byte) parameters.retryCount());
            out.setRnr_retry_count((byte) parameters.rnrRetryCount());
            id.connect(out);
        }
    }

    @Override
    public void accept(RdmaCmId id, ConnectionParameters parameters) throws IOException {
        throw cannotAccept();
    }

    @Override
    public void reject(RdmaCmId id, byte[] privateData) throws IOException {
        throw cannotAccept();
    }

    private static IOException cannotAccept() {
        return new IOException(
                "DiSNI's native library does not identify the connecting process; set declock.rdma.provider to ffm");
    }

    @Override
    public IbvMr register(IbvPd pd, long address, long length, int access) throws IOException {
        if (length > Integer.MAX_VALUE) {
            throw new IOException("DiSNI's native library registers at most 2 GiB, not " + length + " bytes");
        }
        SVCRegMr call = pd.regMr(address, (int) length, access);
        try {
            return call.execute().getMr();
        } finally {
            call.free();
        }
    }

    /**
     * Disconnects, which moves the queue pair to the error state first; the library's own function for that passes on attributes that it
     * never filled in. A queue pair that is not connected executes no request.
     */
    @Override
    public void toError(RdmaCmId id) throws IOException {
        if (id.getQp() != null) {
            id.disconnect();
        }
    }

    @Override
    public void use(IbvContext context) {
        // Nothing to do: the library's contexts are separate objects, one for each id.
    }

    @Override
    public void forget(IbvContext context) {
        // Nothing to do, as in use.
    }

    @Override
    public void removed(IbvContext context) {
        // Nothing can be done: the library does not expose the struct.
    }

    @Override
    public DeviceLimits query(IbvContext context, int port) throws IOException {
        return files.limits(context.getCmd_fd());
    }

    @Override
    public String queuePairState(IbvQP qp) {
        return "unknown: DiSNI does not report it";
    }
}
