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
 * meanwhile. All that is done to an id is done on this thread, in order; so nothing of it needs a lock, and an id is never destroyed
 * while its event is being looked at.
 *
 * <p>{@link #execute} and {@link #close} may be called by any thread, everything else belongs to the thread.
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
    // The thread's own.
    private final Map<RdmaCmId, Handler> handlers = new HashMap<>();
    private boolean ended;
    // Read by others for their information.
    private final Map<IbvContext, Device> devices = new ConcurrentHashMap<>();

    /** Takes the events of one id, on the manager's thread. */
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

    /** Starts the thread on a channel, which it owns from now on. */
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

    /** Runs something short on the thread, soon; at once if that has ended. */
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
            LOG.error("The thread that makes RDMA connections ended: no connection can be made any more", e);
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
                LOG.error("The RDMA connection of {} is ended because its event threw", event.describe(), e);
                handler.closed();
            }
        } else if (event.type() == EventType.RDMA_CM_EVENT_CONNECT_REQUEST) {
            destroy(event.id());
        }
    }

    /** Every id on a removed device hears of it; its handler lets go of it then, and the device is closed after the last one. */
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
                LOG.error("Ending an RDMA connection threw", e);
            }
        }
    }

    private void end() {
        ended = true;
        // After a failure there are connections left, whose sessions would otherwise not hear of it.
        closeAll();
        timer.shutdownNow();
        // What is to be removed from the loops is; the releases behind that are left to this thread.
        devices.values().forEach(device -> device.completions().end());
        tasks.run();
        // Only queue pairs that could not be destroyed have kept theirs.
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
     * Creates an id whose events a handler takes.
     *
     * @throws IOException if that is not possible, or the manager is closed: then the channel is, too, or will be before the id
     */
    RdmaCmId createId(Handler handler) throws IOException {
        if (closed || ended) {
            throw new IOException("the RDMA fabric is closed");
        }
        RdmaCmId id = channel.createId((short) Constants.RDMA_PS_TCP);
        handlers.put(id, handler);
        return id;
    }

    /** Makes a handler take the events of an id that came with a request. */
    void handle(RdmaCmId id, Handler handler) {
        handlers.put(id, handler);
    }

    /** Ends whatever an id is for. */
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
     * Returns the device of an id whose address is resolved, for a connection on it; {@link #doneWith} must follow. Of a provider that does
     * not {@linkplain VerbsBackend#tellsCompletionQueue tell queues apart}, each id has a context object of its own, and so a device, with
     * a channel for its one queue.
     */
    Device device(RdmaCmId id) throws IOException {
        IbvContext context = id.getVerbs();
        Device known = devices.get(context);
        if (known != null && known.completions().hasEnded()) {
            // Nothing would ever complete there. What still uses it ends on its own.
            LOG.warn("The RDMA device is opened again, because the thread that took its completions has ended");
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
     * A connection has given back what it had on a device; its id is to be destroyed after this. The last one closes the device, because
     * rdma-core frees the context of a removed device with the last id on it.
     */
    void doneWith(Device device) {
        if (device.leave()) {
            // Another one may have taken its place, when its thread had ended.
            devices.remove(device.context(), device);
            device.close();
        }
    }

    /** Returns what there is to say about the adapter's work; the caller may add to it. */
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

    /** Returns the address to connect from or to listen on. */
    InetSocketAddress local(int port) {
        return settings.localAddress() == null
                ? new InetSocketAddress(port)
                : new InetSocketAddress(settings.localAddress(), port);
    }

    /** Ends every connection and listener, and waits a moment until they are; not to be called by the thread. */
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
