// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.testing.TcpRelay;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A way to one server, and from some moment on to another one, as through an address that moves: connections that stand go on to the
 * former server.
 */
final class SwitchingProxy extends TcpRelay {
    private static final int BACKLOG = 50;
    private static final int CHUNK_BYTES = 8192;

    private final List<Socket> clients = new CopyOnWriteArrayList<>();
    private volatile int server;

    SwitchingProxy(int server) throws IOException {
        super(server, BACKLOG, CHUNK_BYTES);
        this.server = server;
        begin();
    }

    /** Leads whoever connects from now on to another server. */
    void switchTo(int other) {
        server = other;
    }

    /** Breaks one connection; they count in the order in which they were opened. */
    void cut(int number) throws IOException {
        clients.get(number).close();
    }

    @Override
    protected int targetNow() {
        return server;
    }

    @Override
    protected void accepted(Socket client) {
        clients.add(client);
    }
}
