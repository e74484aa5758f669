// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp;

import io.declock.internal.tcp.TcpFabric.MemberKey;
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
 * The direct connections of one session to other members of its memory node. One is opened when the first message is to be sent;
 * until it stands, and whenever it does not, messages are relayed, and opening is tried again after a growing pause. Thread-safe.
 */
final class PeerLinks {
    private static final long FIRST_PAUSE_NANOS = 100_000_000;
    private static final long LONGEST_PAUSE_NANOS = 10_000_000_000L;

    private final TcpFabric fabric;
    private final TcpSession session;
    private final Map<MemberKey, Link> links = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** What is known about the way to one member. */
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

    /** Sends a message directly if there is a way; otherwise returns false and prepares one for the next. */
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
                && !to.peerAddress().isEmpty()
                && System.nanoTime() - link.notBefore >= 0
                && link.opening.compareAndSet(false, true)) {
            open(to);
        }
        return false;
    }

    private void open(Member to) {
        // A name would not be looked up: it would mean to wait for what a peer sends.
        InetSocketAddress address = SocketAddresses.parse(to.peerAddress());
        if (address == null) {
            fabric.log()
                    .warn(
                            "Messages to compute node {} are relayed: it advertises '{}', which is no address and port.",
                            to.name(),
                            to.peerAddress());
            attemptEnded(keyOf(session, to), false);
            return;
        }
        session.ticket(to).whenComplete((ticket, failure) -> {
            if (failure != null || closed) {
                attemptEnded(keyOf(session, to), false);
                return;
            }
            OutboundPeer peer = new OutboundPeer(fabric, session, to, ticket.bytes());
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

    /** A connection stands; returns whether it is wanted. */
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

    /** A connection that stood is gone. */
    void ended(MemberKey peer, PeerConnection connection) {
        Link link = links.get(peer);
        if (link != null && link.connection == connection) {
            link.connection = null;
        }
    }

    /** Drops the ways to those that are no members any more. */
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

    /** Drops all of them. */
    void close() {
        closed = true;
        links.forEach(this::drop);
    }
}
