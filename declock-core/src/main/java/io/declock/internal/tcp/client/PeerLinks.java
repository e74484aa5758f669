// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.LockNames;
import io.declock.internal.tcp.client.TcpFabric.MemberKey;
import io.declock.internal.tcp.wire.SocketAddresses;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The direct connections of one session to other members of its memory node. A connection is opened for the first message to a member.
 * While it is not established, messages are relayed; a failed attempt is repeated after a growing pause. Thread-safe.
 */
final class PeerLinks {
    private static final long FIRST_PAUSE_NANOS = 100_000_000;
    private static final long LONGEST_PAUSE_NANOS = 10_000_000_000L;

    private final TcpFabric fabric;
    private final TcpSession session;
    private final Map<MemberKey, Link> links = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** The state of the connection to one member. */
    private static final class Link {
        final AtomicBoolean opening = new AtomicBoolean();
        volatile @Nullable PeerConnection connection;
        volatile long pauseNanos = FIRST_PAUSE_NANOS;
        volatile long notBefore = System.nanoTime();
    }

    PeerLinks(TcpFabric fabric, TcpSession session) {
        this.fabric = fabric;
        this.session = session;
    }

    static MemberKey keyOf(TcpSession session, Member member) {
        return new MemberKey(session.joined().memoryNodeIncarnation(), member.nodeId(), member.incarnation());
    }

    /**
     * Sends a message directly if there is a connection; otherwise returns false, and opens one for later messages if this one is a grant: who
     * hands the lock over once will do so again, while a question goes once to every user of a lock.
     */
    boolean send(Member to, PeerMessage message) {
        if (closed) {
            return false;
        }
        Link link = links.computeIfAbsent(keyOf(session, to), key -> new Link());
        PeerConnection connection = link.connection;
        if (connection != null && connection.offer(message)) {
            return true;
        }
        if (connection == null
                && message.kind() == PeerMessage.Kind.GRANT
                && !to.peerAddress().isEmpty()
                && System.nanoTime() - link.notBefore >= 0
                && link.opening.compareAndSet(false, true)) {
            open(to);
        }
        return false;
    }

    private void open(Member to) {
        // A host name is rejected: a look-up would let a peer make this process wait.
        InetSocketAddress address = SocketAddresses.parse(to.peerAddress());
        if (address == null) {
            fabric.log()
                    .warn(
                            "Messages to compute node {} are relayed: it advertises {}, which is no address and port.",
                            LockNames.quoted(to.name()),
                            LockNames.quoted(to.peerAddress()));
            attemptEnded(keyOf(session, to), false);
            return;
        }
        session.ticketFor(to).whenComplete((ticket, failure) -> {
            if (failure != null || closed) {
                attemptEnded(keyOf(session, to), false);
                return;
            }
            OutboundPeer peer = new OutboundPeer(fabric, session, to, ticket);
            ChannelFuture connecting = fabric.connectPeer(address, peer);
            if (connecting == null) {
                attemptEnded(keyOf(session, to), false);
                return;
            }
            connecting.addListener(done -> {
                if (!done.isSuccess()) {
                    attemptEnded(keyOf(session, to), false);
                }
            });
        });
    }

    /** An attempt to open a connection, or the connection itself, has ended. */
    void attemptEnded(MemberKey peer, boolean wasEstablished) {
        Link link = links.get(peer);
        if (link != null) {
            long pause = wasEstablished ? FIRST_PAUSE_NANOS : link.pauseNanos;
            link.pauseNanos = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            link.notBefore = System.nanoTime() + pause;
            link.opening.set(false);
        }
    }

    /** Adds an established connection; returns false if it is not wanted any more. */
    boolean established(MemberKey peer, PeerConnection connection) {
        if (closed) {
            return false;
        }
        Link link = links.computeIfAbsent(peer, key -> new Link());
        if (link.connection == null) {
            link.connection = connection;
            link.pauseNanos = FIRST_PAUSE_NANOS;
        }
        // A second connection, opened by the other side at the same moment, serves the other side.
        return true;
    }

    /** Removes a connection that was established and has ended. */
    void ended(MemberKey peer, PeerConnection connection) {
        Link link = links.get(peer);
        if (link != null && link.connection == connection) {
            link.connection = null;
        }
    }

    /** Drops the connections to former members. */
    void membersChanged(Membership membership) {
        links.forEach((peer, link) -> {
            if (!membership.isLive(peer.nodeId(), peer.incarnation())) {
                drop(peer, link);
            }
        });
    }

    private void drop(MemberKey peer, Link link) {
        links.remove(peer);
        PeerConnection connection = link.connection;
        if (connection != null) {
            connection.fail(null);
        }
    }

    /** Drops all connections. */
    void close() {
        closed = true;
        links.forEach(this::drop);
    }
}
