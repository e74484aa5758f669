// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A way to a server of this machine that carries only so many bytes a second, and that can be cut without anybody being told. */
final class SlowProxy implements AutoCloseable {
    private static final int CHUNK = 512;

    private final ServerSocket listener;
    private final int target;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile long bytesPerSecond = Long.MAX_VALUE;
    private volatile boolean cut;

    SlowProxy(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Sets how much goes through, in each direction. */
    void limit(long bytes) {
        bytesPerSecond = bytes;
    }

    /** From now on everything is lost, and connections stay open. */
    void cut() {
        cut = true;
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            // Little room, so that what is not carried is felt by whoever writes.
            client.setReceiveBufferSize(4096);
            sockets.add(client);
            sockets.add(server);
            start(() -> pump(client, server));
            start(() -> pump(server, client));
        }
    }

    private void pump(Socket from, Socket to) throws IOException {
        byte[] buffer = new byte[CHUNK];
        int count = from.getInputStream().read(buffer);
        while (count >= 0) {
            if (!cut) {
                to.getOutputStream().write(buffer, 0, count);
            }
            pause(count);
            count = from.getInputStream().read(buffer);
        }
        to.shutdownOutput();
    }

    private void pause(int bytes) {
        long rate = bytesPerSecond;
        if (rate != Long.MAX_VALUE) {
            try {
                TimeUnit.NANOSECONDS.sleep(bytes * TimeUnit.SECONDS.toNanos(1) / rate);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException e) {
                // A side was closed.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
