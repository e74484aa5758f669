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
 * What the fabric needs of a provider of DiSNI's API beyond that API: calls on native memory that allocate nothing, and the parts
 * of the connection manager that DiSNI leaves out. Objects are DiSNI's. Thread-safe.
 */
public interface VerbsBackend {
    /** Returns the provider's name, as in {@code declock.rdma.provider}. */
    String name();

    /** Returns whether private data of connection events can be read; without it one can connect but not accept. */
    boolean readsPrivateData();

    /** Posts linked send requests that lie at {@code workRequest}; returns 0 or the error's number. */
    int postSend(IbvQP qp, long workRequest);

    /** Posts linked receive requests that lie at {@code workRequest}; returns 0 or the error's number. */
    int postRecv(IbvQP qp, long workRequest);

    /** Takes up to {@code entries} completions to {@code completions}; returns how many, or a negative number. */
    int pollCq(IbvCQ cq, int entries, long completions);

    /** Asks for one event on the queue's channel at its next completion; returns 0 or the error's number. */
    int requestNotify(IbvCQ cq);

    /**
     * Waits for an event of a completion queue and acknowledges it.
     *
     * @param timeoutMillis -1 for without end, if it {@link #canWake}
     * @return whether there was one
     */
    boolean awaitCqEvent(IbvCompChannel channel, @Nullable IbvCQ any, int timeoutMillis) throws IOException;

    /**
     * Returns whether {@link #awaitCqEvent} knows by itself which queue an event is of; otherwise there must be but one on a channel,
     * and {@code any} is that one.
     */
    boolean tellsCompletionQueue();

    /** Returns whether {@link #wake} works; otherwise who waits must look up now and then. */
    boolean canWake();

    /** Wakes who waits in {@link #awaitCqEvent}. */
    void wake(IbvCompChannel channel);

    /** Waits for an event of the connection manager, copies and acknowledges it; null if there was none in time. */
    @Nullable
    CmEvent awaitCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException;

    /** Wakes who waits in {@link #awaitCmEvent}. */
    void wake(RdmaEventChannel channel);

    /**
     * Looks up which device leads to an address, or takes that of {@code source}; an event tells the outcome.
     *
     * @param source null for the one that the route has
     */
    void resolveAddress(RdmaCmId id, @Nullable InetSocketAddress source, InetSocketAddress target, int timeoutMillis)
            throws IOException;

    /** Sets how long the adapter waits for an acknowledgement: 4.096 us times two to the power of {@code exponent}. */
    void ackTimeout(RdmaCmId id, int exponent) throws IOException;

    /**
     * Sets how long a sender waits before it sends again what found no receive request at this established queue pair.
     *
     * @param code as ibv_modify_qp(3) has it for {@code min_rnr_timer}: 1 is 0.01 ms, 12 is 0.64 ms, 31 is 491.52 ms, 0 is 655.36 ms
     */
    void rnrTimer(IbvQP qp, int code) throws IOException;

    /** Connects; an event tells the outcome. */
    void connect(RdmaCmId id, ConnectionParameters parameters) throws IOException;

    /** Accepts a connection request; an event tells when the connection stands. */
    void accept(RdmaCmId id, ConnectionParameters parameters) throws IOException;

    /** Rejects a connection request. */
    void reject(RdmaCmId id, byte[] privateData) throws IOException;

    /** Registers memory; the address stays valid until {@code deregMr}. */
    IbvMr register(IbvPd pd, long address, long length, int access) throws IOException;

    /** Moves a connection's queue pair to the error state: nothing more is executed, what is posted is flushed. */
    void toError(RdmaCmId id) throws IOException;

    /**
     * Says that the caller begins to use an opened device; {@link #forget} must follow. A device that several use is open until the last
     * of them is done with it.
     */
    void use(IbvContext context);

    /**
     * Says that one of those that {@linkplain #use used} an opened device is done with it: nothing of the caller's is on it any more. The
     * connection manager may close it from the time on that no connection id leads to it, so this comes before the caller's last id is
     * destroyed.
     */
    void forget(IbvContext context);

    /** Says that a device was removed: the kernel waits until every file is closed through which this process has it. */
    void removed(IbvContext context);

    /** Returns what a device can do. */
    DeviceLimits query(IbvContext context, int port) throws IOException;

    /** Returns how a queue pair is doing, for people. */
    String queuePairState(IbvQP qp);
}
