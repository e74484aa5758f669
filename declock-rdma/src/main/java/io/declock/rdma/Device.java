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
 * A device in use, with the thread that takes its completions. It lives from the first connection on it to the last, see {@link
 * ConnectionManager#device}. Compared by identity: after a failure there may be two of one context. Belongs to the connection manager's
 * thread, except {@link #limits} and {@link #completions}.
 */
final class Device {
    private static final Logger LOG = LoggerFactory.getLogger(Device.class);
    private static final int PASSIVE_ENTRIES = 16;

    private final VerbsBackend backend;
    private final IbvContext context;
    private final DeviceLimits limits;
    private final CompletionLoop completions;
    /** Null where nothing can be accepted. */
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
     * Looks whether a device does what is needed.
     *
     * @throws IOException if not; says what to do
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
            throw new IOException(
                    "RDMA device " + limits.device()
                            + " executes no atomics, which locks are made of; use another device (declock.rdma.device) or tcp://");
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

    /** Its thread is started last: nothing that could fail comes after it. */
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

    /** Returns who takes its completions. */
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

    /** Returns how many READs and atomics one side may have under way. */
    int initiatorDepth(ConnectionSettings settings) {
        return Math.max(1, Math.min(settings.maxReadsAndAtomics(), limits.maxInitiated()));
    }

    /** Returns how many READs and atomics of the other side are executed at once. */
    int responderResources(ConnectionSettings settings) {
        return Math.max(1, Math.min(settings.maxReadsAndAtomics(), limits.maxResponded()));
    }

    /** One connection more is on it. */
    void enter() {
        users++;
    }

    /** A connection on it has given everything back; returns whether it was the last one. */
    boolean leave() {
        return --users == 0;
    }

    /** Ends its thread and gives everything back; nothing of any connection is on it any more. */
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
