// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCDeregMr;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.rdma.verbs.DeviceLimits;
import io.declock.rdma.verbs.Layouts;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A provider that only takes down what is posted. Not thread-safe. */
class RecordingBackend implements VerbsBackend {
    /** What was posted, one list of requests per post. */
    final List<List<Request>> posts = new ArrayList<>();

    /** What posting returns. */
    int errno;

    /** When a peer without a buffer here may send again; 0 is the longest time. */
    int rnrTimer;

    /** Whether memory cannot be deregistered. */
    volatile boolean keepsRegistrations;

    /** A send request. */
    record Request(
            long id, int opcode, int flags, long remote, long operand, long swap, int key, long local, int length) {}

    @Override
    public int postSend(IbvQP qp, long workRequest) {
        if (errno == 0) {
            List<Request> requests = new ArrayList<>();
            for (long next = workRequest; next != 0; ) {
                MemorySegment wr = MemorySegment.ofAddress(next).reinterpret(Layouts.IBV_SEND_WR.byteSize());
                MemorySegment sge = MemorySegment.ofAddress(at(wr, "sg_list")).reinterpret(16);
                requests.add(new Request(
                        at(wr, "wr_id"),
                        intAt(wr, "opcode"),
                        intAt(wr, "send_flags"),
                        at(wr, "remote_addr"),
                        at(wr, "compare_add"),
                        at(wr, "swap"),
                        intAt(wr, "rkey"),
                        sge.get(JAVA_LONG, 0),
                        sge.get(JAVA_INT, 8)));
                next = at(wr, "next");
            }
            posts.add(requests);
        }
        return errno;
    }

    private static long at(MemorySegment wr, String field) {
        return wr.get(JAVA_LONG, Layouts.offset(Layouts.IBV_SEND_WR, field));
    }

    private static int intAt(MemorySegment wr, String field) {
        return wr.get(JAVA_INT, Layouts.offset(Layouts.IBV_SEND_WR, field));
    }

    /** Puts what a request returned where the adapter would. */
    void fill(Request request, long... words) {
        MemorySegment local = MemorySegment.ofAddress(request.local()).reinterpret(request.length());
        for (int i = 0; i < words.length; i++) {
            local.set(JAVA_LONG, (long) i * Long.BYTES, words[i]);
        }
    }

    /** Returns what a request writes. */
    long[] words(Request request, int count) {
        return MemorySegment.ofAddress(request.local())
                .reinterpret((long) count * Long.BYTES)
                .toArray(JAVA_LONG);
    }

    /** Makes a completion. */
    Completions completion(long id, int status) {
        Completions completions = new Completions(1);
        MemorySegment wc = MemorySegment.ofAddress(completions.address()).reinterpret(Layouts.IBV_WC.byteSize());
        wc.set(JAVA_LONG, 0, id);
        wc.set(JAVA_INT, Layouts.offset(Layouts.IBV_WC, "status"), status);
        return completions;
    }

    @Override
    public IbvMr register(IbvPd pd, long address, long length, int access) throws IOException {
        DisniProvider.ensure();
        return new Registration(address, (int) length, access);
    }

    /** Memory that the adapter knows, until it is deregistered. */
    private final class Registration extends IbvMr {
        Registration(long address, int length, int access) throws IOException {
            super(null, address, length, access, 0x11, 0x12, 0);
        }

        @Override
        public SVCDeregMr deregMr() {
            return new SVCDeregMr() {
                @Override
                public SVCDeregMr execute() throws IOException {
                    if (keepsRegistrations) {
                        throw new IOException("ibv_dereg_mr: Device or resource busy (EBUSY, errno 16)");
                    }
                    return this;
                }

                @Override
                public boolean isValid() {
                    return true;
                }

                @Override
                public SVCDeregMr free() {
                    return this;
                }
            };
        }
    }

    @Override
    public String name() {
        return "recording";
    }

    @Override
    public boolean readsPrivateData() {
        return false;
    }

    @Override
    public int postRecv(IbvQP qp, long workRequest) {
        return errno;
    }

    @Override
    public int pollCq(IbvCQ cq, int entries, long completions) {
        return 0;
    }

    @Override
    public int requestNotify(IbvCQ cq) {
        return 0;
    }

    @Override
    public boolean awaitCqEvent(IbvCompChannel channel, IbvCQ any, int timeoutMillis) {
        return false;
    }

    @Override
    public void resolveAddress(RdmaCmId id, InetSocketAddress source, InetSocketAddress target, int timeoutMillis) {}

    @Override
    public boolean canWake() {
        return false;
    }

    @Override
    public void wake(IbvCompChannel channel) {}

    @Override
    public CmEvent awaitCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
        return null;
    }

    @Override
    public void wake(RdmaEventChannel channel) {}

    @Override
    public void ackTimeout(RdmaCmId id, int exponent) {}

    @Override
    public void rnrTimer(IbvQP qp, int code) throws IOException {
        rnrTimer = code;
    }

    @Override
    public void connect(RdmaCmId id, ConnectionParameters parameters) {}

    @Override
    public void accept(RdmaCmId id, ConnectionParameters parameters) {}

    @Override
    public void reject(RdmaCmId id, byte[] privateData) {}

    @Override
    public void toError(RdmaCmId id) throws IOException {}

    @Override
    public void use(IbvContext context) {}

    @Override
    public void forget(IbvContext context) {}

    @Override
    public void removed(IbvContext context) {}

    @Override
    public DeviceLimits query(IbvContext context, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String queuePairState(IbvQP qp) {
        return "RTS";
    }
}
