// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.Secrets;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.NodeCounts;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.monitor.ThrottledLog;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.HandshakeFrames.Identity;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.spi.Membership;
import io.declock.spi.MembershipChange;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state that the connections of one server share. Thread-safe. */
final class ServerContext {
    /** Answer for a user who opens the port in a browser. */
    static final byte[] HTTP_ANSWER = """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain\r
            Connection: close\r
            \r
            This is the port of a DecLock memory node. It does not speak HTTP.
            """.getBytes(StandardCharsets.US_ASCII);

    private static final Logger LOG = LoggerFactory.getLogger(MemoryNodeServer.class);

    private final MemoryNode node;
    private final MemoryNodeServerSettings settings;
    private final PeerTickets tickets;
    private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();
    private final Newcomers<ServerConnection> newcomers;
    private final ThrottledLog log;
    /** The sessions that can be resumed. */
    private final Map<MemberId, ServerSession> sessions = new ConcurrentHashMap<>();

    private volatile List<byte[]> keys;
    private volatile @Nullable MembershipChange lastChange;

    private final @Nullable RdmaAccess rdma;

    ServerContext(MemoryNode node, MemoryNodeServerSettings settings, @Nullable RdmaAccess rdma) {
        this.node = node;
        this.settings = settings;
        this.rdma = rdma;
        this.tickets = new PeerTickets(node.incarnation());
        this.keys = keysOf(settings.secrets());
        this.newcomers = new Newcomers<>((settings.maxConnections() + 1) / 2, settings.maxNewcomersPerAddress());
        this.log = new ThrottledLog(LOG, node.clock(), node.timer(), ThrottledLog.INTERVAL);
        if (rdma != null) {
            node.use(rdma.adapter());
        }
    }

    MemoryNode node() {
        return node;
    }

    Identity identity() {
        return new Identity(node.id(), node.incarnation());
    }

    MemoryNodeServerSettings settings() {
        return settings;
    }

    /** Returns the access to the region by RDMA, or null. */
    @Nullable
    RdmaAccess rdma() {
        return rdma;
    }

    PeerTickets tickets() {
        return tickets;
    }

    /** Returns the keys of the accepted secrets, at least one: without a secret there is a well-known key. */
    List<byte[]> keys() {
        return keys;
    }

    /** Replaces the secrets for connections that have not proved theirs yet. */
    void replaceSecrets(List<String> secrets) {
        keys = keysOf(Secrets.checked(secrets));
    }

    static List<byte[]> keysOf(List<String> secrets) {
        return secrets.isEmpty()
                ? List.of(Proofs.keyOf(null))
                : secrets.stream().map(Proofs::keyOf).toList();
    }

    /**
     * Admits a connection. At most half of all connections may be ones that have not joined, and at a bound the oldest of them is closed,
     * so that clients which only connect cannot keep compute nodes out.
     */
    void admit(ServerConnection connection) {
        connections.add(connection);
        evict(newcomers.add(connection, networkOf(connection.channel().remoteAddress())));
        if (connections.size() > settings.maxConnections()) {
            evict(newcomers.evict());
        }
    }

    private void evict(@Nullable ServerConnection evicted) {
        if (evicted != null) {
            connections.remove(evicted);
            refused(evicted, "had not joined yet and made room for another one");
            evicted.fail(null);
        }
    }

    /**
     * Returns a key that is the same for connections that probably have one sender: the IPv4 address, or the 64-bit network of an IPv6
     * address.
     */
    static Object networkOf(@Nullable SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress internet) || internet.getAddress() == null) {
            return "unknown";
        }
        byte[] address = internet.getAddress().getAddress();
        return ByteBuffer.wrap(address, 0, Math.min(address.length, Long.BYTES));
    }

    void proved(ServerConnection connection) {
        newcomers.proved(connection);
    }

    void joined(ServerConnection connection) {
        newcomers.remove(connection);
    }

    /** A session began that can be resumed. */
    void opened(MemberId member, ServerSession session) {
        sessions.put(member, session);
    }

    /** A session is over. */
    void closed(MemberId member, ServerSession session) {
        sessions.remove(member, session);
    }

    /** Returns the session that a connection asks for, or null if it is over or was another memory node's. */
    @Nullable
    ServerSession sessionToResume(HandshakeFrames.Resume resume) {
        return resume.memoryNode() == node.incarnation() ? sessions.get(resume.member()) : null;
    }

    void gone(ServerConnection connection) {
        connections.remove(connection);
        newcomers.remove(connection);
    }

    /** Returns what leads from one membership to a later one; most connections were told the same one last. */
    MembershipChange change(Membership from, Membership to) {
        MembershipChange known = lastChange;
        if (known == null || known.from() != from.version() || known.to() != to.version()) {
            known = from.changeTo(to);
            lastChange = known;
        }
        return known;
    }

    void refused(ServerConnection connection, String why) {
        node.counts().count(NodeCounts.Kind.REFUSED_CONNECTION);
        log.warn("Closed the connection from {}: it {}.", addressOf(connection), why);
    }

    void foreign(ServerConnection connection, String guess) {
        node.counts().count(NodeCounts.Kind.REFUSED_CONNECTION);
        node.counts().count(NodeCounts.Kind.BAD_FRAME);
        String hint =
                guess.equals("TLS") && settings.tls() == null ? " This memory node is configured without TLS." : "";
        log.warn(
                "Closed the connection from {}: it does not speak the DecLock protocol but {}.{}",
                addressOf(connection),
                guess,
                hint);
    }

    void badFrame(ServerConnection connection, BadFrameException cause) {
        node.counts().count(NodeCounts.Kind.BAD_FRAME);
        log.warn("Closed the connection from {}: bad frame: {}", addressOf(connection), cause.getMessage());
    }

    /**
     * Handles the question of another memory node. If both have the same id, the other one acts on it by itself; the log entry tells the
     * operator.
     */
    void asked(ServerConnection connection, Identity asking) {
        if (asking.id().equals(node.id()) && asking.incarnation() != node.incarnation()) {
            log.warn(
                    "The memory node that connected from {} calls itself '{}', as this one does: a lock could have two owners. The"
                            + " other one lets no compute node join while this one lives. Stop one of them; after an"
                            + " update, stop this one.",
                    addressOf(connection),
                    asking.id());
        }
    }

    void unexpected(FrameConnection connection, Throwable cause) {
        log.error("Closing the connection with {}, because of an unexpected exception", addressOf(connection), cause);
    }

    private static String addressOf(FrameConnection connection) {
        return String.valueOf(connection.channel().remoteAddress());
    }
}
