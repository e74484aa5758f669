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
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.Completions;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.rdma.verbs.Constants;
import io.declock.spi.FabricException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reliable connection, from its request to its end, with the resources that it owns. Events of the connection manager drive it, with a
 * deadline; after any failure its owner is told once and all resources are released.
 *
 * <pre>
 *   connecting: address resolved, queue pair made, route resolved, requested ─► up ─► over
 *   accepting:  queue pair made, accepted ─────────────────────────────────────► up ─► over
 * </pre>
 *
 * <p>{@link #fail} may be called by any thread, the rest belongs to the connection manager's thread.
 */
final class Connection implements ConnectionManager.Handler, CompletionLoop.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private static final int RETRY_MILLIS = 100;

    private final ConnectionManager manager;
    private final String what;
    private final Owner owner;
    private final QueueSizes sizes;
    private final byte[] greeting;
    private final Deque<Closing> resources = new ArrayDeque<>();
    private final List<Runnable> afterEnd = new ArrayList<>();
    private @Nullable RdmaCmId id;
    private @Nullable Device device;
    private @Nullable IbvPd pd;
    private @Nullable IbvQP qp;
    private @Nullable CompletionQueue completionQueue;
    private @Nullable ScheduledFuture<?> deadline;
    private int inlineBytes;
    private boolean up;
    private boolean over;
    private boolean released;
    // Set once, before the first completion.
    private volatile CompletionLoop.@Nullable Handler completionHandler;

    /** The owner of a connection; called on the connection manager's thread. */
    interface Owner {
        /** The queue pair is made; receives may be posted to it. */
        default void prepared(Connection connection) throws IOException {}

        /** Both sides are ready. */
        void established(Connection connection, byte[] privateData) throws IOException;

        /**
         * The connection ended, or was never established. When this method has returned, the queue pair is destroyed, so nothing may be
         * posted any more.
         */
        void ended(Connection connection, FabricException cause);
    }

    /** Releases one resource. */
    @FunctionalInterface
    interface Closing {
        void close() throws IOException;
    }

    /**
     * Makes a connection that is not started.
     *
     * @param what the other side, for messages
     * @param greeting private data to connect or accept with
     */
    Connection(ConnectionManager manager, String what, QueueSizes sizes, byte[] greeting, Owner owner) {
        this.manager = manager;
        this.what = what;
        this.sizes = sizes;
        this.greeting = greeting;
        this.owner = owner;
    }

    /** Begins to connect; the owner is told the outcome. */
    void connect(InetSocketAddress target) {
        int millis = Math.toIntExact(manager.settings().connectTimeout().toMillis());
        try {
            RdmaCmId made = manager.createId(this);
            id = made;
            startDeadline();
            InetSocketAddress source = manager.settings().localAddress() == null ? null : manager.local(0);
            manager.backend().resolveAddress(made, source, target, millis);
        } catch (IOException e) {
            end("cannot connect to " + what + " at " + target + " by RDMA: " + Diagnosis.explain(e), e);
        }
    }

    /** Accepts a request that came with an id; {@code more} makes the private data of the acceptance. */
    void accept(RdmaCmId requested, Greeting more) {
        id = requested;
        manager.handle(requested, this);
        startDeadline();
        try {
            setUp();
            manager.backend().ackTimeout(requested, manager.settings().ackTimeout());
            manager.backend().accept(requested, parameters(more.make(this)));
        } catch (IOException e) {
            Rejection.send(manager, requested, String.valueOf(e.getMessage()));
            end("cannot accept " + what + ": " + Diagnosis.explain(e), e);
        }
    }

    /** Makes the private data of an acceptance. */
    @FunctionalInterface
    interface Greeting {
        byte[] make(Connection connection) throws IOException;
    }

    private void startDeadline() {
        deadline = manager.timer()
                .schedule(
                        () -> manager.execute(() -> {
                            if (!up) {
                                end(
                                        "connecting to " + what + " by RDMA took longer than "
                                                + manager.settings()
                                                        .connectTimeout()
                                                        .toMillis() + " ms",
                                        null);
                            }
                        }),
                        manager.settings().connectTimeout().toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    private ConnectionParameters parameters(byte[] privateData) {
        return new ConnectionParameters(
                privateData,
                device().responderResources(manager.settings()),
                device().initiatorDepth(manager.settings()),
                manager.settings().retryCount(),
                manager.settings().rnrRetryCount());
    }

    private void setUp() throws IOException {
        RdmaCmId current = id();
        Device found = manager.device(current);
        device = found;
        IbvPd domain = found.context().allocPd();
        pd = domain;
        resources.push(() -> deallocate(domain));
        if (sizes.isPassive()) {
            qp = createQueuePair(current, domain, found.passiveQueue());
        } else {
            // One entry for each request of either kind, because all of them may be flushed at once.
            CompletionQueue queue = found.completions().create(sizes.sends() + sizes.receives(), this);
            completionQueue = queue;
            qp = createQueuePair(current, domain, queue.cq);
        }
        owner.prepared(this);
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

    private IbvQP createQueuePair(RdmaCmId current, IbvPd domain, IbvCQ cq) throws IOException {
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.setSend_cq(cq);
        attributes.setRecv_cq(cq);
        attributes.setQp_type((byte) Constants.IBV_QPT_RC);
        attributes.cap().setMax_send_wr(sizes.sends());
        attributes.cap().setMax_recv_wr(sizes.receives());
        attributes.cap().setMax_send_sge(1);
        attributes.cap().setMax_recv_sge(1);
        int inline = sizes.isPassive() ? 0 : manager.settings().inlineBytes();
        attributes.cap().setMax_inline_data(inline);
        try {
            IbvQP made = current.createQP(domain, attributes);
            inlineBytes = Math.min(inline, attributes.cap().getMax_inline_data());
            return made;
        } catch (IOException e) {
            if (inline == 0) {
                throw noQueuePair(e);
            }
            return withoutInline(current, domain, attributes);
        }
    }

    /** Tries again without inline data: a device that takes none refuses the queue pair. */
    private IbvQP withoutInline(RdmaCmId current, IbvPd domain, IbvQPInitAttr attributes) throws IOException {
        attributes.cap().setMax_inline_data(0);
        try {
            return current.createQP(domain, attributes);
        } catch (IOException e) {
            throw noQueuePair(e);
        }
    }

    private IOException noQueuePair(IOException cause) {
        return new IOException(
                "RDMA device " + device().limits().device() + " has no queue pair left for " + what
                        + device().limits().describeQueuePairs() + ": " + cause.getMessage(),
                cause);
    }

    @Override
    public void event(CmEvent event) {
        if (over) {
            // The event may have been on its way when the connection ended; its resources are released already.
            return;
        }
        try {
            switch (event.type()) {
                case RDMA_CM_EVENT_ADDR_RESOLVED -> {
                    setUp();
                    manager.backend().ackTimeout(id(), manager.settings().ackTimeout());
                    id().resolveRoute(Math.toIntExact(
                            manager.settings().connectTimeout().toMillis()));
                }
                case RDMA_CM_EVENT_ROUTE_RESOLVED -> manager.backend().connect(id(), parameters(greeting));
                case RDMA_CM_EVENT_ESTABLISHED -> established(event);
                case RDMA_CM_EVENT_DISCONNECTED -> end(what + " ended the RDMA connection", null);
                case RDMA_CM_EVENT_DEVICE_REMOVAL -> end("the RDMA device was removed", null);
                case RDMA_CM_EVENT_REJECTED -> end(Diagnosis.rejected(what, event, manager.backend()), null);
                case RDMA_CM_EVENT_TIMEWAIT_EXIT, RDMA_CM_EVENT_ADDR_CHANGE -> {}
                default -> end(Diagnosis.notConnected(what, event), null);
            }
        } catch (IOException e) {
            end("connecting to " + what + " by RDMA failed: " + Diagnosis.explain(e), e);
        }
    }

    private void established(CmEvent event) {
        if (!over && !up) {
            up = true;
            stopDeadline();
            manager.counters().connections.increment();
            try {
                owner.established(this, event.privateData());
            } catch (IOException e) {
                end("using the RDMA connection to " + what + " failed: " + Diagnosis.explain(e), e);
            }
        }
    }

    private void stopDeadline() {
        ScheduledFuture<?> current = deadline;
        if (current != null) {
            current.cancel(false);
        }
    }

    /** Ends the connection for this reason; any thread. */
    void fail(FabricException cause) {
        manager.execute(() -> end(cause));
    }

    @Override
    public void closed() {
        end(new FabricException("the RDMA fabric is closed"));
    }

    private void end(String message, @Nullable Throwable cause) {
        end(new FabricException(message, cause));
    }

    /** Ends the connection, and runs {@code then} once none of its requests can be executed any more. */
    void endThen(FabricException cause, Runnable then) {
        if (released) {
            then.run();
        } else {
            afterEnd.add(then);
            end(cause);
        }
    }

    /** Ends the connection at once. */
    void end(FabricException cause) {
        if (over) {
            return;
        }
        over = true;
        stopDeadline();
        owner.ended(this, cause);
        RdmaCmId current = id;
        if (current == null) {
            release();
            return;
        }
        quiesce(current);
    }

    /**
     * Makes sure that none of the connection's requests is executed any more, and then releases its resources. If the queue pair can be
     * neither moved to the error state nor destroyed, this is tried again and again: a caller that waits for the end (rule B2) must not be
     * told before.
     */
    private void quiesce(RdmaCmId current) {
        boolean quiet = qp == null || isInError(current);
        try {
            if (up) {
                current.disconnect();
            }
        } catch (IOException e) {
            LOG.debug("Disconnecting from {} failed: {}", what, e.getMessage());
        }
        quiet |= destroyQueuePair(current);
        if (!quiet && !manager.isClosed()) {
            LOG.error("The queue pair to {} can be neither stopped nor destroyed; trying again", what);
            manager.timer()
                    .schedule(() -> manager.execute(() -> quiesce(current)), RETRY_MILLIS, TimeUnit.MILLISECONDS);
            return;
        }
        CompletionQueue queue = completionQueue;
        if (queue == null) {
            release();
        } else {
            device().completions().remove(queue, () -> manager.execute(this::release));
        }
    }

    private boolean isInError(RdmaCmId current) {
        try {
            manager.backend().toError(current);
            return true;
        } catch (IOException e) {
            LOG.warn("The queue pair to {} could not be moved to the error state: {}", what, e.getMessage());
            return false;
        }
    }

    /** Returns whether the queue pair no longer exists. */
    private boolean destroyQueuePair(RdmaCmId current) {
        if (qp == null) {
            return true;
        }
        try {
            current.destroyQP();
            qp = null;
            return true;
        } catch (IOException e) {
            LOG.warn("The queue pair to {} could not be destroyed: {}", what, e.getMessage());
            return false;
        }
    }

    private void release() {
        for (Closing resource : resources) {
            try {
                resource.close();
            } catch (IOException | RuntimeException e) {
                LOG.warn("A resource of the connection to {} could not be released: {}", what, e.getMessage());
            }
        }
        resources.clear();
        Device used = device;
        if (used != null) {
            manager.doneWith(used);
        }
        RdmaCmId current = id;
        id = null;
        if (current != null) {
            manager.destroy(current);
        }
        released = true;
        afterEnd.forEach(Runnable::run);
        afterEnd.clear();
    }

    /** Adds a resource, which is released when the queue pair is destroyed; the last one added is released first. */
    void owns(Closing resource) {
        resources.push(resource);
    }

    /** Registers memory in this connection's domain until the connection ends. */
    IbvMr register(long address, long length, int access) throws IOException {
        IbvMr registration = manager.backend().register(domain(), address, length, access);
        resources.push(() -> registration.deregMr().execute().free());
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

    CompletionQueue completionQueue() {
        CompletionQueue current = completionQueue;
        if (current == null) {
            throw new IllegalStateException("the connection to " + what + " takes no completions");
        }
        return current;
    }

    private RdmaCmId id() {
        RdmaCmId current = id;
        if (current == null) {
            throw new IllegalStateException("the connection to " + what + " has no id");
        }
        return current;
    }

    Device device() {
        Device current = device;
        if (current == null) {
            throw new IllegalStateException("the connection to " + what + " has no device yet");
        }
        return current;
    }

    IbvPd domain() {
        IbvPd current = pd;
        if (current == null) {
            throw new IllegalStateException("the connection to " + what + " has no protection domain yet");
        }
        return current;
    }

    IbvQP queuePair() {
        IbvQP current = qp;
        if (current == null) {
            throw new IllegalStateException("the connection to " + what + " has no queue pair");
        }
        return current;
    }

    /** Returns the number of bytes that the queue pair takes inline. */
    int inlineBytes() {
        return inlineBytes;
    }

    boolean isUp() {
        return up && !over;
    }
}
