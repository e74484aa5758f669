// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCmId;
import io.declock.fabric.Member;
import io.declock.fabric.Membership;
import io.declock.fabric.PeerMessage;
import io.declock.fabric.tcp.wire.Proofs;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The RDMA connections to peers, of all sessions of this process: opened when there is a message to send, bounded in number. When the
 * bound is reached, the one that was used longest ago ends. Thread-safe; the lock guards the links, and nothing is called while it is
 * held that takes another lock but that of a {@link PeerQueue}.
 */
final class PeerConnections {
    private static final String MARK = "/rdma=";

    private final ConnectionManager manager;
    private final int maxConnections;
    private final @Nullable Listener listener;
    private final Map<Local, RdmaSession> sessions = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock; what was used last is last.
    private final Map<Key, PeerLink> links = new LinkedHashMap<>(16, 0.75f, true);

    /** How a message goes. */
    enum Way {
        /** Directly; it was sent. */
        SENT,
        /** Directly soon; now through the memory node. */
        OPENING,
        /** Not by RDMA. */
        NONE
    }

    /** A member of a memory node that is this process. */
    private record Local(long memoryNode, int nodeId, int incarnation) {}

    /** A peer of one session. */
    record Key(RdmaSession session, int nodeId, int incarnation) {}

    private PeerConnections(ConnectionManager manager, PeerSettings settings, VerbsBackend backend) throws IOException {
        this.manager = manager;
        this.maxConnections = settings.maxConnections();
        boolean direct = settings.direct() && backend.readsPrivateData();
        this.listener = direct ? Listener.start(manager, this::requested, settings.port()) : null;
    }

    static PeerConnections start(ConnectionManager manager, PeerSettings settings, VerbsBackend backend)
            throws IOException {
        try {
            return new PeerConnections(manager, settings, backend);
        } catch (IOException e) {
            manager.close();
            throw e;
        }
    }

    /** Returns what to add to the peer address. */
    String advertisement() {
        Listener listening = listener;
        return listening == null ? "" : MARK + listening.port();
    }

    /** Returns where a peer takes RDMA connections, or null if it does not. */
    static @Nullable InetSocketAddress unresolved(String peerAddress) {
        int mark = peerAddress.indexOf(MARK);
        int colon = peerAddress.lastIndexOf(':', Math.max(mark, 0));
        if (mark < 0 || colon < 0) {
            return null;
        }
        try {
            int port = Integer.parseInt(peerAddress.substring(mark + MARK.length()));
            String host = peerAddress.substring(0, colon);
            return InetSocketAddress.createUnresolved(
                    host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static Local localOf(RdmaSession session) {
        return new Local(
                session.joined().memoryNodeIncarnation(),
                session.joined().nodeId(),
                session.joined().incarnation());
    }

    void joined(RdmaSession session) {
        sessions.put(localOf(session), session);
    }

    void gone(RdmaSession session) {
        sessions.remove(localOf(session));
        drop(key -> key.session == session, "the session is over");
    }

    void membersChanged(RdmaSession session, Membership membership) {
        drop(
                key -> key.session == session && !membership.isLive(key.nodeId, key.incarnation),
                "the peer is no member any more");
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds(Key key);
    }

    private void drop(Condition condition, String why) {
        List<PeerLink> dropped = new ArrayList<>();
        lock.lock();
        try {
            for (Iterator<Map.Entry<Key, PeerLink>> all = links.entrySet().iterator(); all.hasNext(); ) {
                Map.Entry<Key, PeerLink> each = all.next();
                if (condition.holds(each.getKey())) {
                    dropped.add(each.getValue());
                    all.remove();
                }
            }
        } finally {
            lock.unlock();
        }
        dropped.forEach(link -> link.end(why));
    }

    /** Sends a message directly if there is a way; otherwise prepares one for the next. */
    Way send(RdmaSession session, Member to, PeerMessage message) {
        InetSocketAddress target = listener == null ? null : unresolved(to.peerAddress());
        if (target == null) {
            return Way.NONE;
        }
        PeerLink link = linkTo(new Key(session, to.nodeId(), to.incarnation()));
        if (link.offer(message)) {
            return Way.SENT;
        }
        if (link.mayOpen()) {
            open(link, to, target);
        }
        return link.isOpening() ? Way.OPENING : Way.NONE;
    }

    private PeerLink linkTo(Key key) {
        PeerLink oldest = null;
        PeerLink link;
        lock.lock();
        try {
            link = links.get(key);
            if (link == null) {
                if (links.size() >= maxConnections) {
                    Iterator<PeerLink> first = links.values().iterator();
                    oldest = first.next();
                    first.remove();
                }
                link = new PeerLink(manager, key);
                links.put(key, link);
            }
        } finally {
            lock.unlock();
        }
        if (oldest != null) {
            oldest.end("another connection needs its place");
        }
        return link;
    }

    private void open(PeerLink link, Member to, InetSocketAddress target) {
        Key key = link.key();
        key.session.tcp().ticketFor(to).whenComplete((ticket, failure) -> {
            if (failure != null) {
                link.attemptEnded();
                return;
            }
            byte[] proof = Proofs.prove(ticket, "declock rdma peer client", identities(key));
            byte[] expected = Proofs.prove(ticket, "declock rdma peer server", identities(key));
            byte[] greeting = Greetings.toPeer(new Greetings.Peers(
                    key.session.joined().memoryNodeIncarnation(),
                    key.session.joined().nodeId(),
                    key.session.joined().incarnation(),
                    key.nodeId,
                    key.incarnation,
                    proof));
            try {
                // Looking a host name up may block.
                manager.timer()
                        .execute(() -> link.connect(
                                new InetSocketAddress(target.getHostString(), target.getPort()), greeting, expected));
            } catch (RejectedExecutionException e) {
                link.attemptEnded();
            }
        });
    }

    /** Both ends, the connecting one first. */
    private static byte[] identities(Key key) {
        return identities(
                key.session.joined().memoryNodeIncarnation(),
                key.session.joined().nodeId(),
                key.session.joined().incarnation(),
                key.nodeId,
                key.incarnation);
    }

    private static byte[] identities(
            long memoryNode, int fromNode, int fromIncarnation, int toNode, int toIncarnation) {
        byte[] from = Proofs.identity(memoryNode, fromNode, fromIncarnation);
        byte[] to = Proofs.identity(memoryNode, toNode, toIncarnation);
        byte[] both = new byte[from.length + to.length];
        System.arraycopy(from, 0, both, 0, from.length);
        System.arraycopy(to, 0, both, from.length, to.length);
        return both;
    }

    private void requested(RdmaCmId id, byte[] privateData) throws IOException {
        Greetings.Peers peers = Greetings.readPeers(privateData);
        RdmaSession session = sessions.get(new Local(peers.memoryNode(), peers.toNode(), peers.toIncarnation()));
        if (session == null) {
            throw new IOException("compute node " + peers.toNode() + "." + peers.toIncarnation() + " is not here");
        }
        byte[] ticket = session.tcp().ticketFrom(peers.fromNode(), peers.fromIncarnation());
        byte[] identities = identities(
                peers.memoryNode(), peers.fromNode(), peers.fromIncarnation(), peers.toNode(), peers.toIncarnation());
        if (!Proofs.same(Proofs.prove(ticket, "declock rdma peer client", identities), peers.proof())) {
            throw new IOException("the other side is not the compute node it says");
        }
        byte[] answer = Proofs.prove(ticket, "declock rdma peer server", identities);
        linkTo(new Key(session, peers.fromNode(), peers.fromIncarnation())).accept(id, answer);
    }
}
