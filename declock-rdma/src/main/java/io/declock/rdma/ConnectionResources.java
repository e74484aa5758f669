// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.rdma.CompletionLoop.CompletionQueue;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.Constants;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The resources of one connection: its id, its use of a device, a protection domain, a queue pair, a completion queue, and what its owner
 * {@linkplain #owns adds}. They are destroyed in the order queue pair, completion queue, added resources, domain, device, id. Belongs to
 * the connection manager's thread, except the methods that receive completions.
 */
final class ConnectionResources implements CompletionLoop.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionResources.class);

    private static final int RETRY_MILLIS = 100;

    private final ConnectionManager manager;
    private final String otherSide;
    private final QueueSizes sizes;
    private final RdmaCmId id;
    private final Deque<Closeable> closings = new ArrayDeque<>();
    private @Nullable Device device;
    private @Nullable IbvPd domain;
    private @Nullable IbvQP queuePair;
    private @Nullable CompletionQueue completionQueue;
    private int inlineBytes;
    // Set once, before the first completion.
    private volatile CompletionLoop.@Nullable Handler completionHandler;

    /**
     * Takes over a connection id.
     *
     * @param otherSide name of the other side, for messages
     */
    ConnectionResources(ConnectionManager manager, String otherSide, QueueSizes sizes, RdmaCmId id) {
        this.manager = manager;
        this.otherSide = otherSide;
        this.sizes = sizes;
        this.id = id;
    }

    /** Makes domain, queue pair and completion queue on the device of the id, whose address must be resolved. */
    void create() throws IOException {
        Device found = manager.device(id);
        device = found;
        IbvPd made = found.context().allocPd();
        domain = made;
        owns(() -> deallocate(made));
        if (sizes.isPassive()) {
            queuePair = createQueuePair(made, found.passiveQueue());
        } else {
            // One entry for each request of either kind, because all of them may be flushed at once.
            CompletionQueue queue = found.completions().create(sizes.sends() + sizes.receives(), this);
            completionQueue = queue;
            queuePair = createQueuePair(made, queue.cq);
        }
    }

    private static void deallocate(IbvPd domain) throws IOException {
        try {
            domain.deallocPd();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            // DiSNI declares Exception.
            throw new IOException(e);
        }
    }

    private IbvQP createQueuePair(IbvPd pd, IbvCQ cq) throws IOException {
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.setSend_cq(cq);
        attributes.setRecv_cq(cq);
        attributes.setQp_type((byte) Constants.IBV_QPT_RC);
        attributes.cap().setMax_send_wr(sizes.sends());
        attributes.cap().setMax_recv_wr(sizes.receives());
        attributes.cap().setMax_send_sge(1);
        attributes.cap().setMax_recv_sge(1);
        int inline = sizes.isPassive() ? 0 : manager.settings().inlineBytes();
        try {
            return createQueuePair(pd, attributes, inline);
        } catch (IOException e) {
            if (inline == 0) {
                throw noQueuePair(e);
            }
        }
        // A device that takes no inline data refuses a queue pair with it.
        try {
            return createQueuePair(pd, attributes, 0);
        } catch (IOException e) {
            throw noQueuePair(e);
        }
    }

    private IbvQP createQueuePair(IbvPd pd, IbvQPInitAttr attributes, int inline) throws IOException {
        attributes.cap().setMax_inline_data(inline);
        IbvQP made = id.createQP(pd, attributes);
        inlineBytes = Math.min(inline, attributes.cap().getMax_inline_data());
        return made;
    }

    private IOException noQueuePair(IOException cause) {
        return new IOException(
                "RDMA device " + device().limits().device() + " has no queue pair left for " + otherSide
                        + device().limits().describeQueuePairs() + ": " + cause.getMessage(),
                cause);
    }

    /**
     * Makes sure that none of the connection's requests is executed any more, releases all resources, and then runs {@code then}. While the
     * queue pair can be neither moved to the error state nor destroyed, this is tried again and again: a caller that waits for the end
     * (rule B2) must not be told before.
     *
     * @param connected whether the connection was established
     */
    void destroy(boolean connected, Runnable then) {
        boolean quiet = queuePair == null || isInError();
        try {
            if (connected) {
                id.disconnect();
            }
        } catch (IOException e) {
            LOG.debug("Disconnecting from {} failed: {}", otherSide, e.getMessage());
        }
        quiet |= destroyQueuePair();
        if (!quiet && !manager.isClosed()) {
            LOG.error("The queue pair to {} can be neither stopped nor destroyed; trying again", otherSide);
            Runnable again = () -> manager.execute(() -> destroy(connected, then));
            manager.timer().schedule(again, RETRY_MILLIS, TimeUnit.MILLISECONDS);
            return;
        }
        CompletionQueue queue = completionQueue;
        if (queue == null) {
            release(then);
        } else {
            device().completions().remove(queue, () -> manager.execute(() -> release(then)));
        }
    }

    private boolean isInError() {
        try {
            manager.backend().toError(id);
            return true;
        } catch (IOException e) {
            LOG.warn("The queue pair to {} could not be moved to the error state: {}", otherSide, e.getMessage());
            return false;
        }
    }

    /** Returns whether the queue pair no longer exists. */
    private boolean destroyQueuePair() {
        if (queuePair == null) {
            return true;
        }
        try {
            id.destroyQP();
            queuePair = null;
            return true;
        } catch (IOException e) {
            LOG.warn("The queue pair to {} could not be destroyed: {}", otherSide, e.getMessage());
            return false;
        }
    }

    private void release(Runnable then) {
        for (Closeable closing : closings) {
            try {
                closing.close();
            } catch (IOException | RuntimeException e) {
                LOG.warn("A resource of the connection to {} could not be released: {}", otherSide, e.getMessage());
            }
        }
        closings.clear();
        Device used = device;
        if (used != null) {
            manager.doneWith(used);
        }
        manager.destroy(id);
        then.run();
    }

    /** Adds a resource, which is released when the queue pair is destroyed; the last one added is released first. */
    void owns(Closeable resource) {
        closings.push(resource);
    }

    /** Registers memory in the domain until the connection ends. */
    IbvMr register(long address, long length, int access) throws IOException {
        IbvMr registration = manager.backend().register(domain(), address, length, access);
        owns(() -> registration.deregMr().execute().free());
        return registration;
    }

    /** Sets the handler of completions. */
    void completionsTo(CompletionLoop.Handler handler) {
        completionHandler = handler;
    }

    @Override
    public void completed(Completions completions, int i) {
        CompletionLoop.Handler handler = completionHandler;
        if (handler != null) {
            handler.completed(completions, i);
        }
    }

    @Override
    public boolean isBusy() {
        CompletionLoop.Handler handler = completionHandler;
        return handler != null && handler.isBusy();
    }

    @Override
    public boolean needsEvent() {
        CompletionLoop.Handler handler = completionHandler;
        return handler == null || handler.needsEvent();
    }

    RdmaCmId id() {
        return id;
    }

    Device device() {
        return existing(device, "device");
    }

    IbvPd domain() {
        return existing(domain, "protection domain");
    }

    IbvQP queuePair() {
        return existing(queuePair, "queue pair");
    }

    CompletionQueue completionQueue() {
        return existing(completionQueue, "completion queue");
    }

    /** Returns the number of bytes that the queue pair takes inline. */
    int inlineBytes() {
        return inlineBytes;
    }

    private <T> T existing(@Nullable T resource, String name) {
        if (resource == null) {
            throw new IllegalStateException("the connection to " + otherSide + " has no " + name);
        }
        return resource;
    }
}
