// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A way to a server of this machine. What becomes of connections and of data on it is up to the subclass. Thread-safe. */
public abstract class TcpRelay implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final int chunkBytes;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /**
     * Listens; {@link #begin} must follow.
     *
     * @param target port of the server
     * @param backlog how many wait to be accepted before more are ignored
     * @param chunkBytes most bytes that are carried at a time
     */
    protected TcpRelay(int target, int backlog, int chunkBytes) throws IOException {
        this.listener = new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
        this.target = target;
        this.chunkBytes = chunkBytes;
    }

    /** Begins to accept connections. To be called at the end of the subclass's constructor. */
    protected final void begin() {
        start(this::accept);
    }

    /** Returns the port to connect to. */
    public final int port() {
        return listener.getLocalPort();
    }

    /** Returns the port of the server. */
    public final int target() {
        return target;
    }

    /** Returns the port of the server that the next connection leads to. */
    protected int targetNow() {
        return target;
    }

    /** Returns the address to connect to. */
    protected final SocketAddress address() {
        return listener.getLocalSocketAddress();
    }

    /** Returns whether it was closed. */
    protected final boolean isClosed() {
        return listener.isClosed();
    }

    /** Somebody has connected; the server is not connected to before this returns. */
    protected void accepted(Socket client) throws IOException {}

    /** Some bytes have arrived: returns whether they are passed on. May take its time. */
    protected boolean carries(int bytes, boolean towardsServer) throws InterruptedException {
        return true;
    }

    /** Closes every connection. */
    protected final void sever() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            accepted(client);
            Socket server = new Socket(InetAddress.getLoopbackAddress(), targetNow());
            sockets.add(client);
            sockets.add(server);
            start(() -> pump(client, server, true));
            start(() -> pump(server, client, false));
        }
    }

    private void pump(Socket from, Socket to, boolean towardsServer) throws IOException, InterruptedException {
        try (from;
                to) {
            byte[] buffer = new byte[chunkBytes];
            int count = from.getInputStream().read(buffer);
            while (count >= 0) {
                if (carries(count, towardsServer)) {
                    to.getOutputStream().write(buffer, 0, count);
                }
                count = from.getInputStream().read(buffer);
            }
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // A side was closed.
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "relay");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
            sever();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
