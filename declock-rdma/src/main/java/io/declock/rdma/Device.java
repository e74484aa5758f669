// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvContext;
import io.declock.rdma.verbs.DeviceLimits;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device in use, with its completion thread. It exists from the first connection on it to the last, see {@link
 * ConnectionManager#device}. Devices are compared by identity, because there may be two of them for one context after a completion thread
 * has failed. Belongs to the connection manager's thread, except {@link #limits} and {@link #completions}.
 */
final class Device {
    private static final Logger LOG = LoggerFactory.getLogger(Device.class);
    private static final int PASSIVE_ENTRIES = 16;

    private final VerbsBackend backend;
    private final IbvContext context;
    private final DeviceLimits limits;
    private final CompletionLoop completions;
    /** Null if the provider cannot accept connections. */
    private final @Nullable IbvCQ passive;

    private int users;

    private Device(
            VerbsBackend backend,
            IbvContext context,
            DeviceLimits limits,
            CompletionLoop completions,
            @Nullable IbvCQ passive) {
        this.backend = backend;
        this.context = context;
        this.limits = limits;
        this.completions = completions;
        this.passive = passive;
    }

    /**
     * Opens a device if it has the required features.
     *
     * @throws IOException if it does not; the message says what to do
     */
    static Device open(
            VerbsBackend backend, IbvContext context, int port, ConnectionSettings settings, RdmaCounters counters)
            throws IOException {
        backend.use(context);
        try {
            DeviceLimits limits = backend.query(context, port);
            require(limits, port);
            IbvCQ passive = backend.readsPrivateData() ? withoutChannel(context) : null;
            return started(backend, context, limits, settings, counters, passive);
        } catch (IOException | RuntimeException e) {
            backend.forget(context);
            throw e;
        }
    }

    private static void require(DeviceLimits limits, int port) throws IOException {
        if (!limits.atomics()) {
            throw new IOException("RDMA device " + limits.device()
                    + " executes no atomics, which locks require; use another device (declock.rdma.device) or tcp://");
        }
        if (!limits.portActive()) {
            throw new IOException("port " + port + " of RDMA device " + limits.device()
                    + " is down; check its cable and 'rdma link', or use another port (declock.rdma.port)");
        }
    }

    @SuppressWarnings("NullAway") // No channel means no events; DiSNI is not annotated.
    private static IbvCQ withoutChannel(IbvContext context) throws IOException {
        return context.createCQ(null, PASSIVE_ENTRIES, 0);
    }

    /** Starts the completion thread as the last step, so that no later step can fail and leave the thread behind. */
    private static Device started(
            VerbsBackend backend,
            IbvContext context,
            DeviceLimits limits,
            ConnectionSettings settings,
            RdmaCounters counters,
            @Nullable IbvCQ passive)
            throws IOException {
        try {
            CompletionLoop completions = new CompletionLoop(backend, context, settings, counters);
            return new Device(backend, context, limits, completions, passive);
        } catch (IOException e) {
            destroy(passive, limits);
            throw e;
        }
    }

    IbvContext context() {
        return context;
    }

    DeviceLimits limits() {
        return limits;
    }

    /** Returns its completion loop. */
    CompletionLoop completions() {
        return completions;
    }

    /** Returns the completion queue of queue pairs to which nothing is posted. */
    IbvCQ passiveQueue() {
        IbvCQ queue = passive;
        if (queue == null) {
            throw new IllegalStateException("connections cannot be accepted on " + limits.device());
        }
        return queue;
    }

    /** Returns how many READs and atomics of this side may be in flight. */
    int initiatorDepth(ConnectionSettings settings) {
        return Math.max(1, Math.min(settings.maxReadsAndAtomics(), limits.maxInitiated()));
    }

    /** Returns how many READs and atomics of the other side are executed at once. */
    int responderResources(ConnectionSettings settings) {
        return Math.max(1, Math.min(settings.maxReadsAndAtomics(), limits.maxResponded()));
    }

    /** Counts a connection that begins to use it. */
    void enter() {
        users++;
    }

    /** Counts a connection that has released its resources; returns whether it was the last one. */
    boolean leave() {
        return --users == 0;
    }

    /** Ends its thread and releases its resources; no connection may use it any more. */
    void close() {
        completions.close();
        destroy(passive, limits);
        backend.forget(context);
    }

    private static void destroy(@Nullable IbvCQ queue, DeviceLimits limits) {
        if (queue == null) {
            return;
        }
        try {
            queue.destroyCQ();
        } catch (IOException e) {
            LOG.warn("A completion queue of {} could not be destroyed: {}", limits.device(), e.getMessage());
        }
    }
}
