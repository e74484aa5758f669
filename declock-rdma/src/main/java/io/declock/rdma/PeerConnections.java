// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.ibm.disni.verbs.RdmaCmId;
import io.declock.internal.tcp.client.HostAddresses;
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
 * bound is reached, the least recently used connection ends. Thread-safe; the lock guards the links, and while it is held no method is
 * called that takes another lock.
 */
final class PeerConnections {
    private static final String MARK = "/rdma=";

    /** Before the mark: this process has buffers for grants with values. Releases before this one neither have them nor say so. */
    private static final String TAKES_VALUES = "/values";

    private final ConnectionManager manager;
    private final int maxConnections;
    private final @Nullable Listener listener;
    private final Map<Local, RdmaSession> sessions = new ConcurrentHashMap<>();
    private final PeerAttempts attempts = new PeerAttempts();
    private final ReentrantLock lock = new ReentrantLock();
    // In order of use, the most recently used link last.
    @GuardedBy("lock")
    private final Map<Key, PeerLink> links = new LinkedHashMap<>(16, 0.75f, true);

    /** The route of a message. */
    enum Way {
        /** By RDMA; the message was sent. */
        SENT,
        /** By RDMA soon, because a connection is being opened; this message goes through the memory node. */
        OPENING,
        /** Over TCP, because there is no RDMA connection and none is being opened. */
        NONE
    }

    /** A member of a memory node that belongs to this process. */
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

    /** Returns the text to append to this process's peer address; empty if it accepts no RDMA connections of peers. */
    String advertisement() {
        Listener listening = listener;
        return listening == null ? "" : TAKES_VALUES + MARK + listening.port();
    }

    /**
     * Returns the address at which a peer accepts RDMA connections. Returns null if it accepts none, or advertises a host name: names
     * from other processes are never resolved.
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

    /** Returns whether the process at an address with the mark has buffers for grants with values. */
    static boolean takesValues(String peerAddress) {
        return peerAddress.contains(TAKES_VALUES + MARK);
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
        drop(gone, "the peer is no longer a member");
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

    /** Sends a message by RDMA if a connection exists; otherwise opens one for later messages. */
    Way send(RdmaSession session, Member to, PeerMessage message) {
        InetSocketAddress target = listener == null ? null : addressOf(to.peerAddress());
        if (target == null) {
            return Way.NONE;
        }
        PeerLink link = linkTo(new Key(session, to.nodeId(), to.incarnation()));
        if (link.offer(takesValues(to.peerAddress()) ? message : message.withoutValue())) {
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
            oldest.end("another connection replaces it, because the maximum number is reached");
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
            throw new IOException("compute node " + request.toNode() + "." + request.toIncarnation()
                    + " has no session in this process");
        }
        byte[] ticket = session.tcp().ticketFrom(request.fromNode(), request.fromIncarnation());
        if (!PeerProofs.isProved(ticket, request)) {
            throw new IOException("the other side is not the compute node that it claims to be");
        }
        Key peer = new Key(session, request.fromNode(), request.fromIncarnation());
        takeOnce(local, peer, request.attempt());
        linkTo(peer).accept(id, PeerProofs.ofAcceptance(ticket, request));
    }

    /**
     * Accepts an attempt of a member. An attempt of a non-member is refused, because its number would be dropped with the next change of
     * the members, and the request could be accepted again. The membership is checked after the number was kept, so that either this method
     * or the change of the members drops it.
     */
    private void takeOnce(Local local, Key peer, long attempt) throws IOException {
        boolean fresh = attempts.take(peer, attempt);
        if (sessions.get(local) != peer.session || !peer.session.isMember(peer.nodeId, peer.incarnation)) {
            attempts.drop(peer::equals);
            throw new IOException("compute node " + peer.nodeId + "." + peer.incarnation
                    + " is not a known member, or the session is over");
        }
        if (!fresh) {
            throw new IOException(
                    "attempt " + attempt + " of compute node " + peer.nodeId + "." + peer.incarnation
                            + " to connect is not higher than those before: the request was replayed, or a later one overtook it");
        }
    }

    /** Returns the number of peers for which an attempt is kept. */
    int keptAttempts() {
        return attempts.count();
    }
}
