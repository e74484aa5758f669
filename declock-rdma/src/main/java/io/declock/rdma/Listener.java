// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.rdma.verbs.CmEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens for connection requests. Belongs to the connection manager's thread, except {@link #start} and {@link #port}. */
final class Listener implements ConnectionManager.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final int BACKLOG = 256;

    private final ConnectionManager manager;
    private final RdmaCmId id;
    private final Acceptor acceptor;
    private final int port;
    private boolean over;

    /** Decides on requests; called on the connection manager's thread. */
    @FunctionalInterface
    interface Acceptor {
        /**
         * Accepts a request, or throws.
         *
         * @throws IOException to reject it; the message goes to the other side
         */
        void requested(RdmaCmId id, byte[] privateData) throws IOException;
    }

    private Listener(ConnectionManager manager, Acceptor acceptor, int port) throws IOException {
        this.manager = manager;
        this.acceptor = acceptor;
        this.id = manager.createId(this);
        try {
            id.bindAddr(manager.local(port));
            id.listen(BACKLOG);
            this.port = ((InetSocketAddress) id.getSource()).getPort();
        } catch (IOException e) {
            manager.destroy(id);
            throw new IOException(
                    "cannot listen for RDMA connections at " + manager.local(port) + ": " + e.getMessage(), e);
        }
    }

    /**
     * Starts to listen.
     *
     * @param port port in the port space of RDMA, 0 for any free one
     * @throws IOException if that is not possible; the message says why
     */
    static Listener start(ConnectionManager manager, Acceptor acceptor, int port) throws IOException {
        CompletableFuture<Listener> started = new CompletableFuture<>();
        manager.execute(() -> {
            try {
                started.complete(new Listener(manager, acceptor, port));
            } catch (IOException | RuntimeException e) {
                started.completeExceptionally(e);
            }
        });
        return await(started, manager.settings().connectTimeout().toMillis(), "listening for RDMA connections");
    }

    /** Waits for a future that another thread completes. */
    static <T> T await(CompletableFuture<T> future, long millis, String what) throws IOException {
        try {
            return future.get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw cause instanceof IOException io ? io : new IOException(String.valueOf(cause), cause);
        } catch (TimeoutException e) {
            throw new IOException(what + " took longer than " + millis + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(what + " was interrupted", e);
        }
    }

    int port() {
        return port;
    }

    @Override
    public void event(CmEvent event) {
        if (event.type() == EventType.RDMA_CM_EVENT_CONNECT_REQUEST) {
            requested(event);
        } else if (event.type() == EventType.RDMA_CM_EVENT_DEVICE_REMOVAL) {
            LOG.error("The RDMA device was removed: no more connections by RDMA are accepted");
            closed();
        }
    }

    private void requested(CmEvent event) {
        try {
            acceptor.requested(event.id(), event.privateData());
        } catch (IOException e) {
            LOG.warn("Rejected an RDMA connection request: {}", e.getMessage());
            Rejection.send(manager, event.id(), String.valueOf(e.getMessage()));
            manager.destroy(event.id());
        } catch (RuntimeException e) {
            // Only this request ends, not the listener for all others.
            LOG.error("An RDMA connection request is rejected because accepting it failed", e);
            Rejection.send(manager, event.id(), "accepting failed: " + e);
            manager.abandon(event.id());
        }
    }

    @Override
    public void closed() {
        if (!over) {
            over = true;
            manager.destroy(id);
        }
    }
}
