// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP proxy between two nodes, each of whose directions can be slowed or cut. Data of a direction that is <em>held</em> arrives when
 * the direction is healed, as with TCP's own retransmissions. Data of a direction that is <em>lost</em> never arrives, and because no
 * stream can continue after that, healing breaks the connection. Neither side is notified of a cut: connections stay open. Thread-safe.
 */
public final class Proxy implements AutoCloseable {
    private static final int BACKLOG = 64;
    private static final int BUFFER_BYTES = 64 * 1024;

    /** How data of one direction is treated. */
    public enum Flow {
        /** It arrives. */
        OPEN,
        /** It arrives once the direction is open again. */
        HELD,
        /** It never arrives. */
        LOST
    }

    /** The side that data comes from. */
    public enum Direction {
        /** From the side that connects. */
        FROM_CLIENT,
        /** From the side that accepts. */
        FROM_SERVER
    }

    private final ServerSocket listener;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition changed = mutex.newCondition();
    private final Flow[] flows = {Flow.OPEN, Flow.OPEN};
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private volatile InetSocketAddress target;
    private volatile long delayNanos;

    /** Starts one on a free port of the loopback interface. */
    public Proxy(int targetPort) {
        target = loopback(targetPort);
        try {
            listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon("accept", this::accept);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Returns the port to connect to. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Sets another target for new connections. */
    public void target(int port) {
        target = loopback(port);
    }

    /** Delays all data. */
    public void delay(long millis) {
        delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Changes one direction, of existing and of new connections. */
    public void set(Direction direction, Flow flow) {
        mutex.lock();
        try {
            flows[direction.ordinal()] = flow;
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
        if (flow == Flow.OPEN) {
            connections.stream().filter(connection -> connection.broken).forEach(Connection::close);
        }
    }

    /** Changes both directions. */
    public void set(Flow flow) {
        for (Direction direction : Direction.values()) {
            set(direction, flow);
        }
    }

    /** Closes every existing connection; new ones are let through. */
    public void sever() {
        connections.forEach(Connection::close);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                daemon("connect", () -> connect(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        try {
            server.connect(target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        } catch (IOException e) {
            closeQuietly(client);
            closeQuietly(server);
            return;
        }
        Connection connection = new Connection(client, server);
        connections.add(connection);
        daemon("from-client", () -> connection.pump(client, server, Direction.FROM_CLIENT));
        daemon("from-server", () -> connection.pump(server, client, Direction.FROM_SERVER));
    }

    private Flow flowOnceNotHeld(Direction direction) throws InterruptedException {
        mutex.lock();
        try {
            while (flows[direction.ordinal()] == Flow.HELD && !listener.isClosed()) {
                changed.await();
            }
            return flows[direction.ordinal()];
        } finally {
            mutex.unlock();
        }
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket counts as closed.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        set(Flow.OPEN);
        sever();
    }

    private final class Connection {
        private final Socket client;
        private final Socket server;
        private volatile boolean broken;

        Connection(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void pump(Socket from, Socket to, Direction direction) {
            byte[] buffer = new byte[BUFFER_BYTES];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                int count = in.read(buffer);
                while (count >= 0) {
                    pass(buffer, count, out, direction);
                    count = in.read(buffer);
                }
                // A cut direction does not pass on the end of a stream either.
                flowOnceNotHeld(direction);
            } catch (IOException e) {
                // Closing notifies the other side of the proxy.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            close();
        }

        private void pass(byte[] data, int count, OutputStream out, Direction direction)
                throws IOException, InterruptedException {
            long wait = delayNanos;
            if (wait > 0) {
                TimeUnit.NANOSECONDS.sleep(wait);
            }
            if (!broken && flowOnceNotHeld(direction) == Flow.OPEN) {
                out.write(data, 0, count);
            } else {
                broken = true;
            }
        }

        void close() {
            connections.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }
    }
}
