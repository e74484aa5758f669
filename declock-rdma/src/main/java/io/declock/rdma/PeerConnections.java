// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaCmId;
import io.declock.internal.tcp.HostAddresses;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The RDMA connections to peers, of all sessions of this process: opened when there is a message to send, bounded in number. When the
 * bound is reached, the one that was used longest ago ends. Thread-safe; the lock guards the links, and nothing is called while it is
 * held that takes another lock.
 */
final class PeerConnections {
    private static final String MARK = "/rdma=";

    private final ConnectionManager manager;
    private final int maxConnections;
    private final @Nullable Listener listener;
    private final Map<Local, RdmaSession> sessions = new ConcurrentHashMap<>();
    private final PeerAttempts attempts = new PeerAttempts();
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

    /**
     * Returns where a peer takes RDMA connections, or null if it does not, or at the name of a host: what others advertise is never looked
     * up.
     */
    static @Nullable InetSocketAddress addressOf(String peerAddress) {
        int mark = peerAddress.indexOf(MARK);
        int colon = peerAddress.lastIndexOf(':', Math.max(mark, 0));
        if (mark < 0 || colon < 0) {
            return null;
        }
        try {
            int port = Integer.parseInt(peerAddress.substring(mark + MARK.length()));
            InetAddress host = HostAddresses.written(peerAddress.substring(0, colon));
            return host == null ? null : new InetSocketAddress(host, port);
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
        attempts.drop(key -> key.session == session);
    }

    void membersChanged(RdmaSession session) {
        Predicate<Key> gone = key -> key.session == session && !session.isMember(key.nodeId, key.incarnation);
        drop(gone, "the peer is no member any more");
        attempts.drop(gone);
    }

    private void drop(Predicate<Key> gone, String why) {
        List<PeerLink> dropped = new ArrayList<>();
        lock.lock();
        try {
            for (Iterator<Map.Entry<Key, PeerLink>> all = links.entrySet().iterator(); all.hasNext(); ) {
                Map.Entry<Key, PeerLink> each = all.next();
                if (gone.test(each.getKey())) {
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
        InetSocketAddress target = listener == null ? null : addressOf(to.peerAddress());
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
            Greetings.Peers request = PeerProofs.proved(ticket, request(key, PeerAttempts.next()));
            link.connect(target, Greetings.toPeer(request), PeerProofs.ofAcceptance(ticket, request));
        });
    }

    private static Greetings.Peers request(Key key, long attempt) {
        return new Greetings.Peers(
                key.session.joined().memoryNodeIncarnation(),
                key.session.joined().nodeId(),
                key.session.joined().incarnation(),
                key.nodeId,
                key.incarnation,
                attempt,
                new byte[Greetings.REQUEST_PROOF_BYTES]);
    }

    private void requested(RdmaCmId id, byte[] privateData) throws IOException {
        Greetings.Peers request = Greetings.readPeers(privateData);
        Local local = new Local(request.memoryNode(), request.toNode(), request.toIncarnation());
        RdmaSession session = sessions.get(local);
        if (session == null) {
            throw new IOException("compute node " + request.toNode() + "." + request.toIncarnation() + " is not here");
        }
        byte[] ticket = session.tcp().ticketFrom(request.fromNode(), request.fromIncarnation());
        if (!PeerProofs.isProved(ticket, request)) {
            throw new IOException("the other side is not the compute node it says");
        }
        Key peer = new Key(session, request.fromNode(), request.fromIncarnation());
        takeOnce(local, peer, request.attempt());
        linkTo(peer).accept(id, PeerProofs.ofAcceptance(ticket, request));
    }

    /**
     * Takes an attempt, of a member only: what is kept of others would be dropped with the next change of the members, and the request
     * could come again. Whether it is one is looked at after that was kept, so that it is dropped by this or by whoever changes it.
     */
    private void takeOnce(Local local, Key peer, long attempt) throws IOException {
        boolean fresh = attempts.take(peer, attempt);
        if (sessions.get(local) != peer.session || !peer.session.isMember(peer.nodeId, peer.incarnation)) {
            attempts.drop(peer::equals);
            throw new IOException("compute node " + peer.nodeId + "." + peer.incarnation
                    + " is no member that is known here, or the session is over");
        }
        if (!fresh) {
            throw new IOException("attempt " + attempt + " of compute node " + peer.nodeId + "." + peer.incarnation
                    + " to connect is not above those before: it was recorded, or overtaken by a later one");
        }
    }

    /** Returns of how many peers an attempt is kept. */
    int keptAttempts() {
        return attempts.count();
    }
}
