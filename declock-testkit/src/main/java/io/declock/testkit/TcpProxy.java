// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy in front of a server of this machine, each of whose directions can be slowed or cut. Data of a direction that is
 * <em>held</em> arrives when the direction is healed, as with TCP's own retransmissions. Data of a direction that is <em>lost</em> never
 * arrives, and because no stream can continue after that, healing breaks the connection. Neither side is notified of a cut: connections
 * stay open. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int BACKLOG = 64;
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int NARROW_BUFFER_BYTES = 512;
    private static final int NARROW_RECEIVE_BYTES = 4096;
    private static final int FILLER_MILLIS = 250;
    private static final int MOST_FILLERS = 50;
    private static final int ENOUGH_IGNORED = 3;

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
    private final boolean narrow;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition changed = mutex.newCondition();

    private final Map<Direction, Flow> flows = new EnumMap<>(Direction.class);

    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();
    private final List<Socket> fillers = new ArrayList<>();
    private boolean swallows;
    private volatile InetSocketAddress target;
    private volatile @Nullable Budget budget;
    private volatile long delayNanos;
    private volatile long bytesPerSecond = Long.MAX_VALUE;

    /** Starts one on a free port of the loopback interface; the server need not listen yet. */
    public TcpProxy(int targetPort) {
        this(targetPort, BACKLOG, false);
    }

    /** Starts one on a given port of an address of the loopback interface. */
    public TcpProxy(int targetPort, String host, int port) {
        this(targetPort, BACKLOG, false, new InetSocketAddress(host, port));
    }

    private TcpProxy(int targetPort, int backlog, boolean narrow) {
        this(targetPort, backlog, narrow, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private TcpProxy(int targetPort, int backlog, boolean narrow, InetSocketAddress at) {
        this.narrow = narrow;
        this.target = loopback(targetPort);
        for (Direction direction : Direction.values()) {
            flows.put(direction, Flow.OPEN);
        }
        try {
            listener = new ServerSocket(at.getPort(), backlog, at.getAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon("accept", this::accept);
    }

    /** Starts one with small buffers: what is not carried is soon felt by the side that writes. */
    public static TcpProxy narrow(int targetPort) {
        return new TcpProxy(targetPort, BACKLOG, true);
    }

    /** Starts one whose queue of connections to accept is short enough to {@link #swallow}. */
    public static TcpProxy withShortQueue(int targetPort) {
        return new TcpProxy(targetPort, 1, false);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Returns the port to connect to. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Returns the server's port. */
    public int target() {
        return target.getPort();
    }

    /** Sets another target for new connections; those that stand go on to the former server. */
    public void target(int port) {
        target = loopback(port);
    }

    /** Delays all data. */
    public void delay(long millis) {
        delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Sets how much goes through in a second, in each direction of each connection. */
    public void limit(long bytes) {
        bytesPerSecond = bytes;
    }

    /** Changes one direction, of existing and of new connections. */
    public void set(Direction direction, Flow flow) {
        mutex.lock();
        try {
            flows.put(direction, flow);
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
        if (flow == Flow.OPEN) {
            connections.stream()
                    .filter(connection -> connection.broken.contains(direction))
                    .forEach(Connection::close);
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

    /**
     * Closes every connection as soon as that many more bytes have gone through in a direction: the bytes behind them are lost, in both
     * directions. New connections are let through.
     */
    public void severAfter(Direction direction, long bytes) {
        budget = new Budget(direction, new AtomicLong(bytes));
    }

    /** How much may go through in a direction. */
    private record Budget(Direction direction, AtomicLong left) {}

    /** Returns how many connections it has accepted. */
    public int accepted() {
        return accepted.size();
    }

    /** Closes one connection; they count from 0, in the order in which they were opened. */
    public void sever(int number) {
        closeQuietly(accepted.get(number));
    }

    /**
     * Closes every connection; attempts to connect are swallowed from now on, as by a broken network: the queue of connections to accept
     * is full, and the kernel drops further ones.
     */
    public void swallow() throws IOException {
        swallows(true);
        // One attempt that was not answered may have met a machine that stood still.
        for (int ignored = 0; ignored < ENOUGH_IGNORED; ignored = fill() ? 0 : ignored + 1) {
            if (fillers.size() > MOST_FILLERS) {
                throw new IllegalStateException("this kernel accepts every connection although no program does");
            }
        }
        sever();
    }

    private boolean fill() throws IOException {
        Socket filler = new Socket();
        try {
            filler.connect(listener.getLocalSocketAddress(), FILLER_MILLIS);
            fillers.add(filler);
            return true;
        } catch (SocketTimeoutException e) {
            filler.close();
            return false;
        }
    }

    /** Ends {@link #swallow}. */
    public void swallowNoMore() {
        fillers.forEach(TcpProxy::closeQuietly);
        fillers.clear();
        swallows(false);
    }

    private void swallows(boolean value) {
        mutex.lock();
        try {
            swallows = value;
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (narrow) {
                    client.setReceiveBufferSize(NARROW_RECEIVE_BYTES);
                }
                // One connection is accepted before the queue is full.
                awaitNoSwallowing();
                accepted.add(client);
                daemon("connect", () -> connect(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void awaitNoSwallowing() {
        mutex.lock();
        try {
            while (swallows) {
                changed.awaitUninterruptibly();
            }
        } finally {
            mutex.unlock();
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
            while (flows.get(direction) == Flow.HELD && !listener.isClosed()) {
                changed.await();
            }
            return flows.getOrDefault(direction, Flow.OPEN);
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
        swallowNoMore();
        set(Flow.OPEN);
        sever();
    }

    private final class Connection {
        private final Socket client;
        private final Socket server;
        private final Set<Direction> broken = ConcurrentHashMap.newKeySet();

        Connection(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void pump(Socket from, Socket to, Direction direction) {
            byte[] buffer = new byte[narrow ? NARROW_BUFFER_BYTES : BUFFER_BYTES];
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
            long rate = bytesPerSecond;
            long wait = delayNanos + (rate == Long.MAX_VALUE ? 0 : TimeUnit.SECONDS.toNanos(count) / rate);
            if (wait > 0) {
                TimeUnit.NANOSECONDS.sleep(wait);
            }
            if (!broken.contains(direction) && flowOnceNotHeld(direction) == Flow.OPEN) {
                Budget limit = budget;
                if (limit == null || limit.direction() != direction) {
                    out.write(data, 0, count);
                    return;
                }
                int most = (int) Math.min(count, limit.left().get());
                out.write(data, 0, most);
                if (limit.left().addAndGet(-most) == 0) {
                    budget = null;
                    sever();
                }
            } else {
                broken.add(direction);
            }
        }

        void close() {
            connections.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }
    }
}
