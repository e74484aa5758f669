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
 * A device in use, with the thread that takes its completions.
 *
 * @param context the device
 * @param limits what it can do
 * @param completions takes its completions
 * @param passive completion queue of queue pairs to which nothing is posted; null where nothing can be accepted
 */
record Device(
        IbvContext context,
        DeviceLimits limits,
        CompletionLoop completions,
        @Nullable IbvCQ passive) {
    private static final Logger LOG = LoggerFactory.getLogger(Device.class);
    private static final int PASSIVE_ENTRIES = 16;

    /**
     * Looks whether a device does what is needed.
     *
     * @throws IOException if not; says what to do
     */
    static Device open(
            VerbsBackend backend, IbvContext context, int port, ConnectionSettings settings, RdmaCounters counters)
            throws IOException {
        DeviceLimits limits = backend.query(context, port);
        if (!limits.atomics()) {
            throw new IOException(
                    "RDMA device " + limits.device()
                            + " executes no atomics, which locks are made of; use another device (declock.rdma.device) or tcp://");
        }
        if (!limits.portActive()) {
            throw new IOException("port " + port + " of RDMA device " + limits.device()
                    + " is down; check its cable and 'rdma link', or use another port (declock.rdma.port)");
        }
        return new Device(
                context,
                limits,
                new CompletionLoop(backend, context, settings, counters),
                backend.readsPrivateData() ? withoutChannel(context) : null);
    }

    @SuppressWarnings("NullAway") // No channel means no events; DiSNI is not annotated.
    private static IbvCQ withoutChannel(IbvContext context) throws IOException {
        return context.createCQ(null, PASSIVE_ENTRIES, 0);
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

    void close() {
        completions.close();
        IbvCQ queue = passive;
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
