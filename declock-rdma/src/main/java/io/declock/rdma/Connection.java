// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCmId;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.ConnectionParameters;
import io.declock.spi.FabricException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One reliable connection, from its request to its end. Events of the connection manager drive it, and establishing it has a deadline.
 * After any failure its owner is told once, and its {@linkplain ConnectionResources resources} are released.
 *
 * <pre>
 *   connecting: address resolved, queue pair made, route resolved, requested ─► up ─► over
 *   accepting:  queue pair made, accepted ─────────────────────────────────────► up ─► over
 * </pre>
 *
 * <p>{@link #fail} may be called by any thread, the rest belongs to the connection manager's thread.
 */
final class Connection implements ConnectionManager.Handler {
    private final ConnectionManager manager;
    private final String otherSide;
    private final Owner owner;
    private final QueueSizes sizes;
    private final byte[] greeting;
    private final List<Runnable> afterEnd = new ArrayList<>();
    private @Nullable ConnectionResources resources;
    private @Nullable ScheduledFuture<?> deadline;
    private boolean up;
    private boolean over;
    private boolean released;

    /** The owner of a connection; called on the connection manager's thread. */
    interface Owner {
        /** The queue pair is made; receives may be posted to it. */
        default void prepared(Connection connection) throws IOException {}

        /** The connection is established: both sides may post requests. */
        void established(Connection connection, byte[] privateData) throws IOException;

        /**
         * The connection ended, or was never established. When this method has returned, the queue pair is destroyed, so nothing may be
         * posted any more.
         */
        void ended(Connection connection, FabricException cause);
    }

    /** Makes the private data of an acceptance. */
    @FunctionalInterface
    interface Greeting {
        byte[] make(Connection connection) throws IOException;
    }

    /**
     * Makes a connection that is not started.
     *
     * @param otherSide name of the other side, for messages
     * @param greeting private data to connect with
     */
    Connection(ConnectionManager manager, String otherSide, QueueSizes sizes, byte[] greeting, Owner owner) {
        this.manager = manager;
        this.otherSide = otherSide;
        this.sizes = sizes;
        this.greeting = greeting;
        this.owner = owner;
    }

    /** Begins to connect; the owner is told the outcome. */
    void connect(InetSocketAddress target) {
        try {
            RdmaCmId id = begin(manager.createId(this));
            InetSocketAddress source = manager.settings().localAddress() == null ? null : manager.local(0);
            manager.backend().resolveAddress(id, source, target, connectMillis());
        } catch (IOException e) {
            end("cannot connect to " + otherSide + " at " + target + " by RDMA: " + Diagnosis.explain(e), e);
        }
    }

    /** Accepts a request that came with an id. */
    void accept(RdmaCmId requested, Greeting acceptance) {
        manager.handle(requested, this);
        begin(requested);
        try {
            prepare();
            manager.backend().accept(requested, parameters(acceptance.make(this)));
        } catch (IOException e) {
            Rejection.send(manager, requested, String.valueOf(e.getMessage()));
            end("cannot accept " + otherSide + ": " + Diagnosis.explain(e), e);
        }
    }

    /** Takes over an id, and starts the deadline. */
    private RdmaCmId begin(RdmaCmId id) {
        resources = new ConnectionResources(manager, otherSide, sizes, id);
        long millis = connectMillis();
        Runnable late = () -> {
            if (!up) {
                end("connecting to " + otherSide + " by RDMA took longer than " + millis + " ms", null);
            }
        };
        deadline = manager.timer().schedule(() -> manager.execute(late), millis, TimeUnit.MILLISECONDS);
        return id;
    }

    private int connectMillis() {
        return Math.toIntExact(manager.settings().connectTimeout().toMillis());
    }

    private void prepare() throws IOException {
        resources().create();
        owner.prepared(this);
        manager.backend().ackTimeout(resources().id(), manager.settings().ackTimeout());
    }

    private ConnectionParameters parameters(byte[] privateData) {
        ConnectionSettings settings = manager.settings();
        Device device = resources().device();
        return new ConnectionParameters(
                privateData,
                device.responderResources(settings),
                device.initiatorDepth(settings),
                settings.retryCount(),
                settings.rnrRetryCount());
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
                    prepare();
                    resources().id().resolveRoute(connectMillis());
                }
                case RDMA_CM_EVENT_ROUTE_RESOLVED ->
                    manager.backend().connect(resources().id(), parameters(greeting));
                case RDMA_CM_EVENT_ESTABLISHED -> established(event);
                case RDMA_CM_EVENT_DISCONNECTED -> end(otherSide + " ended the RDMA connection", null);
                case RDMA_CM_EVENT_DEVICE_REMOVAL -> end("the RDMA device was removed", null);
                case RDMA_CM_EVENT_REJECTED -> end(Diagnosis.rejected(otherSide, event, manager.backend()), null);
                case RDMA_CM_EVENT_TIMEWAIT_EXIT, RDMA_CM_EVENT_ADDR_CHANGE -> {}
                default -> end(Diagnosis.notConnected(otherSide, event), null);
            }
        } catch (IOException e) {
            end("connecting to " + otherSide + " by RDMA failed: " + Diagnosis.explain(e), e);
        }
    }

    private void established(CmEvent event) {
        if (up) {
            return;
        }
        up = true;
        stopDeadline();
        manager.counters().connections.increment();
        try {
            owner.established(this, event.privateData());
        } catch (IOException e) {
            end("using the RDMA connection to " + otherSide + " failed: " + Diagnosis.explain(e), e);
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

    /** Ends the connection, and runs {@code then} once none of its requests can be executed any more (rule B2). */
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
        ConnectionResources used = resources;
        if (used == null) {
            released();
        } else {
            used.destroy(up, this::released);
        }
    }

    private void released() {
        released = true;
        afterEnd.forEach(Runnable::run);
        afterEnd.clear();
    }

    /** Returns its resources, which it has once it was started. */
    ConnectionResources resources() {
        ConnectionResources current = resources;
        if (current == null) {
            throw new IllegalStateException("the connection to " + otherSide + " was not started");
        }
        return current;
    }

    boolean isUp() {
        return up && !over;
    }
}
