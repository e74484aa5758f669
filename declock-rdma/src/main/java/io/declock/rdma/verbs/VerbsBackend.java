// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The functions that the fabric needs from a provider of DiSNI's API in addition to that API: calls on native memory that allocate
 * nothing, and the parts of the connection manager that DiSNI leaves out. The objects are DiSNI's. Thread-safe.
 */
public interface VerbsBackend {
    /** Returns the provider's name, as in {@code declock.rdma.provider}. */
    String name();

    /** Returns whether the provider reads the private data of connection events. If not, it can connect but not accept. */
    boolean readsPrivateData();

    /** Posts the linked send requests at address {@code workRequest}; returns 0 or the error's number. */
    int postSend(IbvQP qp, long workRequest);

    /** Posts the linked receive requests at address {@code workRequest}; returns 0 or the error's number. */
    int postRecv(IbvQP qp, long workRequest);

    /** Takes up to {@code entries} completions into {@code completions}; returns their number, or a negative number. */
    int pollCq(IbvCQ cq, int entries, long completions);

    /** Requests one event on the queue's channel at its next completion; returns 0 or the error's number. */
    int requestNotify(IbvCQ cq);

    /**
     * Waits for an event of a completion queue and acknowledges it.
     *
     * @param any the only queue of the channel, for a provider that cannot tell to which queue an event belongs; other providers ignore it
     * @param timeoutMillis -1 to wait without limit, if it {@link #canWake}
     * @return whether there was an event
     */
    boolean awaitCqEvent(IbvCompChannel channel, @Nullable IbvCQ any, int timeoutMillis) throws IOException;

    /** Returns whether {@link #wake} works; otherwise a waiting thread must wake up by itself from time to time. */
    boolean canWake();

    /** Wakes the thread that waits in {@link #awaitCqEvent}. */
    void wake(IbvCompChannel channel);

    /** Waits for an event of the connection manager, copies it and acknowledges it. Returns null if none came in time. */
    @Nullable
    CmEvent awaitCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException;

    /** Wakes the thread that waits in {@link #awaitCmEvent}. */
    void wake(RdmaEventChannel channel);

    /**
     * Resolves the device that leads to an address, or takes the device of {@code source}; an event tells the outcome.
     *
     * @param source source address, null for that of the route
     */
    void resolveAddress(RdmaCmId id, @Nullable InetSocketAddress source, InetSocketAddress target, int timeoutMillis)
            throws IOException;

    /** Sets how long the adapter waits for an acknowledgement: 4.096 us times two to the power of {@code exponent}. */
    void ackTimeout(RdmaCmId id, int exponent) throws IOException;

    /**
     * Sets how long a sender waits before it sends a message again for which this established queue pair had no receive request.
     *
     * @param code as ibv_modify_qp(3) has it for {@code min_rnr_timer}: 1 is 0.01 ms, 12 is 0.64 ms, 31 is 491.52 ms, 0 is 655.36 ms
     */
    void rnrTimer(IbvQP qp, int code) throws IOException;

    /** Connects; an event tells the outcome. */
    void connect(RdmaCmId id, ConnectionParameters parameters) throws IOException;

    /** Accepts a connection request; an event tells when the connection is established. */
    void accept(RdmaCmId id, ConnectionParameters parameters) throws IOException;

    /** Rejects a connection request. */
    void reject(RdmaCmId id, byte[] privateData) throws IOException;

    /** Registers memory; the address stays valid until {@code deregMr}. */
    IbvMr register(IbvPd pd, long address, long length, int access) throws IOException;

    /** Moves a connection's queue pair to the error state: no request is executed any more, and posted requests are flushed. */
    void toError(RdmaCmId id) throws IOException;

    /**
     * Counts the caller as a user of an opened device; {@link #forget} must follow. A device with several users stays open until each of
     * them has called {@code forget}.
     */
    void use(IbvContext context);

    /**
     * Counts out a user of an opened device, which must have no resources on it any more. The connection manager may close the device once
     * no connection id refers to it, so this call comes before the caller's last id is destroyed.
     */
    void forget(IbvContext context);

    /**
     * Called when a device was removed. The device's files are closed as soon as it has no users, because the kernel waits with the removal
     * until this process has closed every file of the device.
     */
    void removed(IbvContext context);

    /** Returns the limits of a device. */
    DeviceLimits query(IbvContext context, int port) throws IOException;

    /** Returns the state of a queue pair as text. */
    String queuePairState(IbvQP qp);
}
