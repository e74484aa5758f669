// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.fabric.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/** Passes on what it is sent, until it loses one direction without telling anybody. */
final class LossyProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private volatile boolean losesTowardsServer;
    private volatile boolean losesTowardsClient;
    private volatile boolean stuck;

    LossyProxy() throws IOException {
        listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        try (ServerSocket free = new ServerSocket(0)) {
            target = free.getLocalPort();
        }
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Returns the port that whoever stands behind it must listen on. */
    int target() {
        return target;
    }

    void lose(boolean towardsServer) {
        losesTowardsServer = towardsServer;
        losesTowardsClient = !towardsServer;
    }

    /** From now on nothing is read: what is written stays where it is. */
    void stopReading() {
        stuck = true;
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            start(() -> pump(client, server, true));
            start(() -> pump(server, client, false));
        }
    }

    private void pump(Socket from, Socket to, boolean towardsServer) throws IOException {
        try (from;
                to) {
            byte[] buffer = new byte[8192];
            int count = from.getInputStream().read(buffer);
            while (count >= 0) {
                awaitClose(stuck);
                if (!(towardsServer ? losesTowardsServer : losesTowardsClient)) {
                    to.getOutputStream().write(buffer, 0, count);
                }
                count = from.getInputStream().read(buffer);
            }
        }
    }

    private void awaitClose(boolean needed) throws IOException {
        try {
            while (needed && !listener.isClosed()) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
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
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
