// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.declock.rdma.verbs.CmEvent;
import io.declock.rdma.verbs.Constants;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that talks to the connection manager of rdma-core: it makes, accepts and ends connections, and waits for events
 * meanwhile. All calls for an id are made on this thread, in order; so they need no lock, and an id is never destroyed while its event
 * is being handled.
 *
 * <p>{@link #execute} and {@link #close} may be called by any thread, everything else belongs to this thread.
 */
final class ConnectionManager implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionManager.class);
    private static final int CLOSE_SECONDS = 3;
    private static final int UNWAKEABLE_MILLIS = 50;

    private final VerbsBackend backend;
    private final ConnectionSettings settings;
    private final RdmaCounters counters;
    private final RdmaEventChannel channel;
    private final ScheduledExecutorService timer;
    private final TaskQueue tasks;
    private volatile boolean closed;
    // Used by the thread only.
    private final Map<RdmaCmId, Handler> handlers = new HashMap<>();
    private boolean ended;
    // Other threads read it for information.
    private final Map<IbvContext, Device> devices = new ConcurrentHashMap<>();

    /** Handles the events of one id, on the manager's thread. */
    interface Handler {
        void event(CmEvent event);

        /** The manager is closed. */
        void closed();
    }

    /**
     * Starts the thread.
     *
     * @throws IOException if there is no RDMA device; the message says so
     */
    ConnectionManager(VerbsBackend backend, ConnectionSettings settings, RdmaCounters counters) throws IOException {
        this(backend, settings, counters, RdmaEventChannel.createEventChannel());
    }

    /** Starts the thread on a channel, which this manager owns from then on. */
    ConnectionManager(
            VerbsBackend backend, ConnectionSettings settings, RdmaCounters counters, RdmaEventChannel channel) {
        this.backend = backend;
        this.settings = settings;
        this.counters = counters;
        this.channel = channel;
        this.tasks = new TaskQueue(() -> backend.wake(channel));
        ThreadFactory daemons =
                Thread.ofPlatform().daemon().name("declock-rdma-timer").factory();
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, daemons);
        executor.setRemoveOnCancelPolicy(true);
        this.timer = executor;
        Thread.ofPlatform().daemon().name("declock-rdma-connections").start(this::run);
    }

    /** Runs a short task on the manager's thread soon, or at once on the calling thread if the manager's thread has ended. */
    void execute(Runnable task) {
        tasks.execute(task);
    }

    private void run() {
        try {
            while (true) {
                tasks.run();
                if (closed && handlers.isEmpty()) {
                    return;
                }
                CmEvent event = backend.awaitCmEvent(channel, backend.canWake() ? -1 : UNWAKEABLE_MILLIS);
                if (event != null) {
                    dispatch(event);
                }
                if (closed) {
                    closeAll();
                }
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("The thread that makes RDMA connections ended: no more connections can be made", e);
        } finally {
            end();
        }
    }

    private void dispatch(CmEvent event) {
        RdmaCmId listening = event.listenId();
        Handler handler = handlers.get(listening == null ? event.id() : listening);
        if (handler != null) {
            if (event.type() == EventType.RDMA_CM_EVENT_DEVICE_REMOVAL) {
                removed(event.id());
            }
            try {
                handler.event(event);
            } catch (RuntimeException e) {
                LOG.error("An RDMA connection is ended because handling its event {} failed", event.describe(), e);
                handler.closed();
            }
        } else if (event.type() == EventType.RDMA_CM_EVENT_CONNECT_REQUEST) {
            destroy(event.id());
        }
    }

    /** Every id on a removed device gets the event; its handler then releases the device, which is closed after the last one. */
    private void removed(RdmaCmId id) {
        try {
            IbvContext context = id.getVerbs();
            if (context != null) {
                backend.removed(context);
            }
        } catch (IOException e) {
            LOG.debug("A removed RDMA device is closed already: {}", e.getMessage());
        }
    }

    private void closeAll() {
        for (Handler handler : List.copyOf(handlers.values())) {
            try {
                handler.closed();
            } catch (RuntimeException e) {
                LOG.error("Ending an RDMA connection failed", e);
            }
        }
    }

    private void end() {
        ended = true;
        // After a failure of this thread, the remaining connections are closed so that their sessions learn of it.
        closeAll();
        timer.shutdownNow();
        // Queues waiting for removal are removed from the loops; their connections are then released on this thread.
        devices.values().forEach(device -> device.completions().end());
        tasks.run();
        // Devices are left only where a queue pair could not be destroyed.
        devices.values().forEach(Device::close);
        devices.clear();
        try {
            tasks.destroy(channel::destroyEventChannel);
        } catch (IOException e) {
            LOG.warn("The event channel could not be destroyed: {}", e.getMessage());
        }
        tasks.end();
    }

    VerbsBackend backend() {
        return backend;
    }

    ConnectionSettings settings() {
        return settings;
    }

    RdmaCounters counters() {
        return counters;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Creates an id whose events go to a handler.
     *
     * @throws IOException if that is not possible, or if the manager is closed: its channel is destroyed then, or would be before the id
     */
    RdmaCmId createId(Handler handler) throws IOException {
        if (closed || ended) {
            throw new IOException("the RDMA fabric is closed");
        }
        RdmaCmId id = channel.createId((short) Constants.RDMA_PS_TCP);
        handlers.put(id, handler);
        return id;
    }

    /** Sets the handler of the events of an id that came with a request. */
    void handle(RdmaCmId id, Handler handler) {
        handlers.put(id, handler);
    }

    /** Ends the connection or listener of an id. */
    void abandon(RdmaCmId id) {
        Handler handler = handlers.get(id);
        if (handler == null) {
            destroy(id);
        } else {
            handler.closed();
        }
    }

    /** Destroys an id; its queue pair must be destroyed already. */
    void destroy(RdmaCmId id) {
        handlers.remove(id);
        try {
            id.destroyId();
        } catch (IOException e) {
            LOG.warn("A connection id could not be destroyed: {}", e.getMessage());
        }
    }

    /**
     * Returns the device of an id whose address is resolved, for a connection on it; {@link #doneWith} must follow. With a provider that
     * cannot find the {@linkplain VerbsBackend#awaitCqEvent queue of an event}, each id has a context object of its own, and therefore a
     * device of its own, with a channel for its single queue.
     */
    Device device(RdmaCmId id) throws IOException {
        IbvContext context = id.getVerbs();
        Device known = devices.get(context);
        if (known != null && known.completions().hasEnded()) {
            // Operations on it would never complete. Connections that still use it end by themselves.
            LOG.warn("The RDMA device is opened again, because its completion thread has ended");
            devices.remove(context);
            known = null;
        }
        if (known == null) {
            known = Device.open(backend, context, Math.max(1, id.getPort_num()), settings, counters);
            devices.put(context, known);
        }
        known.enter();
        return known;
    }

    /**
     * Called when a connection has released its resources on a device; its id must be destroyed after this. The last connection closes the
     * device, because rdma-core frees the context of a removed device with the last id on it.
     */
    void doneWith(Device device) {
        if (device.leave()) {
            // Another device object may have replaced it after its thread had ended.
            devices.remove(device.context(), device);
            device.close();
        }
    }

    /** Returns the names and values of the adapter's counters; the caller may add to the map. */
    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("provider", backend.name());
        devices.values().forEach(device -> details.put("device", device.limits().device()));
        details.put("connections", counters.connections.sum());
        details.put("rejections", counters.rejections.sum());
        details.put("polls", counters.polls.sum());
        details.put("emptyPolls", counters.emptyPolls.sum());
        details.put("sleeps", counters.sleeps.sum());
        details.put("armings", counters.armings.sum());
        details.put("waits", counters.waits.sum());
        counters.errors().forEach((status, count) -> details.put("completionErrors." + status, count));
        return details;
    }

    /** Returns the local address for connecting or listening. */
    InetSocketAddress local(int port) {
        return settings.localAddress() == null
                ? new InetSocketAddress(port)
                : new InetSocketAddress(settings.localAddress(), port);
    }

    /** Ends every connection and listener, and waits a moment for their end; must not be called by the thread. */
    @Override
    public void close() {
        closed = true;
        execute(() -> {});
        try {
            if (!tasks.awaitEnd(CLOSE_SECONDS)) {
                LOG.warn("RDMA connections did not end within {} s", CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
