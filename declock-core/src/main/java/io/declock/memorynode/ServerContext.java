// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode;

import io.declock.fabric.tcp.wire.BadFrameException;
import io.declock.fabric.tcp.wire.Proofs;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the connections of one server share. Thread-safe. */
final class ServerContext {
    /** For a person who points a browser at the port. */
    static final byte[] HTTP_ANSWER = """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain\r
            Connection: close\r
            \r
            This is the port of a DecLock memory node. It does not speak HTTP.
            """.getBytes(StandardCharsets.US_ASCII);

    private static final Logger LOG = LoggerFactory.getLogger(MemoryNodeServer.class);
    private static final long LOG_INTERVAL_NANOS = 100_000_000;

    private final MemoryNode node;
    private final MemoryNodeServerSettings settings;
    private final PeerTickets tickets;
    private final byte[] key;
    private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();
    private final Set<ServerConnection> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicLong lastLog;

    private final @Nullable DirectAccess directAccess;

    ServerContext(MemoryNode node, MemoryNodeServerSettings settings, @Nullable DirectAccess directAccess) {
        this.node = node;
        this.settings = settings;
        this.directAccess = directAccess;
        this.tickets = new PeerTickets(node.incarnation());
        this.key = Proofs.keyOf(settings.secret());
        this.lastLog = new AtomicLong(node.clock().nanoTime() - LOG_INTERVAL_NANOS);
    }

    MemoryNode node() {
        return node;
    }

    MemoryNodeServerSettings settings() {
        return settings;
    }

    /** Returns the way around this server, or null. */
    @Nullable
    DirectAccess directAccess() {
        return directAccess;
    }

    PeerTickets tickets() {
        return tickets;
    }

    byte[] key() {
        return key;
    }

    /**
     * Returns whether another connection is within the bounds. Those that have not joined may be half of all, so that whoever
     * merely connects cannot keep compute nodes out.
     */
    boolean admit(ServerConnection connection) {
        connections.add(connection);
        waiting.add(connection);
        if (connections.size() <= settings.maxConnections() && waiting.size() <= (settings.maxConnections() + 1) / 2) {
            return true;
        }
        refused(connection, "is one connection more than the " + settings.maxConnections() + " allowed");
        return false;
    }

    void joined(ServerConnection connection) {
        waiting.remove(connection);
    }

    void gone(ServerConnection connection) {
        connections.remove(connection);
        waiting.remove(connection);
    }

    void refused(ServerConnection connection, String why) {
        node.counts().count(NodeCounts.Kind.REFUSED_CONNECTION);
        warn("Closed the connection from {}: it {}.", connection, why);
    }

    void foreign(ServerConnection connection, String guess) {
        node.counts().count(NodeCounts.Kind.REFUSED_CONNECTION);
        node.counts().count(NodeCounts.Kind.BAD_FRAME);
        String hint = guess.equals("TLS") && settings.sslContext() == null
                ? " This memory node is configured without TLS."
                : "";
        warn("Closed the connection from {}: it does not speak the DecLock protocol but {}." + hint, connection, guess);
    }

    void badFrame(ServerConnection connection, BadFrameException cause) {
        node.counts().count(NodeCounts.Kind.BAD_FRAME);
        warn("Closed the connection from {}: bad frame: {}", connection, String.valueOf(cause.getMessage()));
    }

    /** Logs, but not as often as anyone likes to connect. */
    private void warn(String format, ServerConnection connection, String detail) {
        long now = node.clock().nanoTime();
        long last = lastLog.get();
        if (now - last >= LOG_INTERVAL_NANOS && lastLog.compareAndSet(last, now)) {
            LOG.warn(format, connection.channel().remoteAddress(), detail);
        }
    }
}
