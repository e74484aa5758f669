// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.Counters;
import io.declock.MemoryNodeAddress;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.internal.tcp.client.ControlSession;
import io.declock.internal.tcp.client.HostAddresses;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricCounters;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.PeerMessage;
import io.declock.spi.RemoteMemory;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One session by RDMA: a session over TCP for everything except verbs, and a connection of the adapters for verbs. When either ends, both
 * end. Thread-safe.
 *
 * <p>Between joining over TCP and the adapters' connection, unsolicited messages of the memory node are kept, so that the listener gets no
 * event of a session before joining has completed.
 */
final class RdmaSession implements FabricSession, RemoteMemory, SessionListener, Connection.Owner {
    /** Number of times within the request timeout that the session checks for a stuck verb. */
    private static final int LOOKS = 8;

    private final RdmaFabric fabric;
    private final ConnectionManager manager;
    private final PeerConnections peers;
    private final MemoryNodeAddress address;
    private final SessionListener listener;
    private final CompletableFuture<FabricSession> joining;
    private final EarlyEvents early = new EarlyEvents();
    // Each set once, in this order.
    private volatile @Nullable ControlSession control;
    private volatile @Nullable Connection connection;
    private volatile @Nullable VerbQueue verbs;
    private volatile @Nullable ScheduledFuture<?> watch;
    private volatile boolean leaving;
    /** The newest membership that the memory node sent. */
    private final AtomicReference<@Nullable Membership> membership = new AtomicReference<>();

    RdmaSession(
            RdmaFabric fabric,
            ConnectionManager manager,
            PeerConnections peers,
            MemoryNodeAddress address,
            SessionListener listener,
            CompletableFuture<FabricSession> joining) {
        this.fabric = fabric;
        this.manager = manager;
        this.peers = peers;
        this.address = address;
        this.listener = listener;
        this.joining = joining;
    }

    /** Called when the session over TCP has joined: asks for an RDMA connection. */
    void joined(ControlSession session) {
        control = session;
        membersAre(session.joined().membership());
        session.rdmaOffer().whenComplete((offer, failure) -> {
            if (failure != null) {
                giveUp(new FabricException(
                        "memory node " + address + " did not offer an RDMA connection: " + failure.getMessage(),
                        failure));
            } else {
                connect(offer);
            }
        });
    }

    private void connect(Optional<RdmaOffer> offered) {
        if (offered.isEmpty()) {
            giveUp(new FabricException("memory node " + address
                    + " does not serve RDMA; start it with RDMA, or use tcp:// in its address"));
            return;
        }
        RdmaOffer offer = offered.get();
        InetAddress host = hostOf(offer);
        if (host == null) {
            giveUp(new FabricException("memory node " + address + " serves RDMA at '" + offer.host()
                    + "', which is not an address; names from other processes are not resolved: correct"
                    + " declock.memory-node.rdma.address"));
            return;
        }
        Connection made = new Connection(
                manager,
                "memory node " + address,
                new QueueSizes(manager.settings().maxInFlight() * VerbChain.MAX_VERBS, 1),
                Greetings.toMemoryNode(offer.token()),
                this);
        connection = made;
        manager.execute(() -> made.connect(new InetSocketAddress(host, offer.port())));
    }

    /** Returns the host to connect to: that of the session over TCP, unless the memory node offers another address. */
    private @Nullable InetAddress hostOf(RdmaOffer offer) {
        InetAddress written = offer.host().isEmpty() ? tcp().remoteAddress() : HostAddresses.written(offer.host());
        return written != null && written.isAnyLocalAddress() ? tcp().remoteAddress() : written;
    }

    @Override
    public void established(Connection established, byte[] privateData) throws IOException {
        if (manager.backend().readsPrivateData()) {
            granted(established, privateData);
        } else {
            tcp().rdmaGrant()
                    .toCompletableFuture()
                    .orTimeout(manager.settings().connectTimeout().toMillis(), TimeUnit.MILLISECONDS)
                    .whenComplete((grant, failure) -> manager.execute(() -> told(established, grant, failure)));
        }
    }

    /** Receives over TCP the private data of the memory node's acceptance. */
    private void told(Connection established, byte @Nullable [] grant, @Nullable Throwable failure) {
        if (!established.isUp()) {
            // Its end was reported already.
            return;
        }
        if (grant == null) {
            String why = failure instanceof TimeoutException
                    ? "no answer within " + manager.settings().connectTimeout().toMillis() + " ms"
                    : String.valueOf(failure);
            established.end(new FabricException("memory node " + address + " did not send its grant: " + why, failure));
            return;
        }
        try {
            granted(established, grant);
        } catch (IOException e) {
            established.end(new FabricException(
                    "using the RDMA connection to memory node " + address + " failed: " + Diagnosis.explain(e), e));
        }
    }

    private void granted(Connection established, byte[] grant) throws IOException {
        VerbQueue queue = VerbQueue.on(established, manager, Greetings.readGrant(grant));
        verbs = queue;
        long timeout = manager.settings().requestTimeout().toNanos();
        watch = manager.timer()
                .scheduleWithFixedDelay(
                        () -> check(established, queue, timeout),
                        timeout / LOOKS,
                        Math.max(1, timeout / LOOKS),
                        TimeUnit.NANOSECONDS);
        peers.joined(this);
        fabric.joined(this);
        early.open(() -> joining.complete(this));
    }

    private void check(Connection established, VerbQueue queue, long timeout) {
        if (queue.isStuck(System.nanoTime(), timeout)) {
            established.fail(new FabricException("memory node " + address + " has executed no verb by RDMA for "
                    + TimeUnit.NANOSECONDS.toMillis(timeout) + " ms"));
        }
    }

    @Override
    public void ended(Connection ended, FabricException cause) {
        VerbQueue queue = verbs;
        if (queue == null) {
            giveUp(cause);
        } else {
            over(queue, cause);
            if (!leaving) {
                tcp().fail(cause);
            }
        }
    }

    private void over(VerbQueue queue, FabricException cause) {
        ScheduledFuture<?> watching = watch;
        if (watching != null) {
            watching.cancel(false);
        }
        peers.gone(this);
        fabric.gone(this);
        queue.fail(cause);
    }

    /** Called when RDMA does not work for this session: continues over TCP if that is allowed. */
    private void giveUp(FabricException cause) {
        if (joining.isDone()) {
            return;
        }
        if (fabric.fallsBack(address, cause)) {
            early.open(() -> joining.complete(this));
        } else {
            joining.completeExceptionally(cause);
            tcp().control().leave();
        }
    }

    MemoryNodeAddress address() {
        return address;
    }

    /** Returns the state of the queue pair as text for {@link RdmaFabric#details}. */
    String queuePairState() {
        VerbQueue queue = verbs;
        return queue == null ? "none: TCP is used" : queue.state();
    }

    /** Returns the session over TCP. */
    ControlSession tcp() {
        ControlSession session = control;
        if (session == null) {
            throw new IllegalStateException("not joined yet");
        }
        return session;
    }

    @Override
    public JoinReply joined() {
        return tcp().joined();
    }

    @Override
    public RemoteMemory memory() {
        return this;
    }

    @Override
    public ControlPlane control() {
        return new LeavingControl(tcp().control(), this);
    }

    /** Called when leaving begins. If the memory node ends the connection after that, the session is not reported as lost. */
    void leaving() {
        leaving = true;
    }

    /** Called when leaving has ended, whether or not the memory node answered. */
    void left() {
        endVerbs(new FabricException("the session with memory node " + address + " was left"));
    }

    private void endVerbs(FabricException cause) {
        VerbQueue queue = verbs;
        if (queue != null) {
            over(queue, cause);
        }
        Connection current = connection;
        if (current != null) {
            current.fail(cause);
        }
    }

    @Override
    public void post(VerbChain chain) {
        VerbQueue queue = verbs;
        if (queue == null) {
            tcp().memory().post(chain);
            return;
        }
        FabricCounters counters = fabric.counters();
        counters.verb(chain.purpose(), chain.verb(0));
        for (int i = 1; i < chain.size(); i++) {
            counters.verb(chain.purpose(), chain.verb(i));
        }
        queue.post(chain);
    }

    @Override
    public void send(Member to, PeerMessage message) {
        boolean self = to.nodeId() == joined().nodeId() && to.incarnation() == joined().incarnation();
        PeerConnections.Way way = self ? PeerConnections.Way.NONE : peers.send(this, to, message);
        switch (way) {
            case SENT -> fabric.counters().count(Counters.Event.PEER_DIRECT);
            case OPENING -> tcp().control().relay(message);
            case NONE -> tcp().send(to, message);
        }
    }

    @Override
    public void close() {
        tcp().close();
    }

    @Override
    public void membershipChanged(Membership changed) {
        membersAre(changed);
        early.run(() -> listener.membershipChanged(changed));
    }

    /** Receives a membership from the memory node, perhaps after a newer one. */
    void membersAre(Membership told) {
        membership.accumulateAndGet(
                told, (before, now) -> before == null || now.version() > before.version() ? now : before);
        peers.membersChanged(this);
    }

    /** Returns whether exactly that incarnation is a member, according to the newest membership received. */
    boolean isMember(int nodeId, int incarnation) {
        Membership known = membership.get();
        return known != null && known.isLive(nodeId, incarnation);
    }

    @Override
    public void peerMessage(PeerMessage message) {
        early.run(() -> listener.peerMessage(message));
    }

    @Override
    public void nodesChanged(NodeList list) {
        listener.nodesChanged(list);
    }

    @Override
    public void reclaimProposed(long round, long[] records) {
        early.run(() -> listener.reclaimProposed(round, records));
    }

    @Override
    public void lost(FabricException cause) {
        ended(cause, listener::lost);
    }

    @Override
    public void brokenOff(FabricException cause) {
        ended(cause, listener::brokenOff);
    }

    private void ended(FabricException cause, Consumer<FabricException> told) {
        endVerbs(cause);
        // Before joining has completed, its failure reports the loss.
        if (!joining.completeExceptionally(cause) && !joining.isCompletedExceptionally()) {
            early.run(() -> told.accept(cause));
        }
    }
}
