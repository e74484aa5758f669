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
import io.declock.spi.LockInquiry;
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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session by RDMA: a session over TCP for everything except verbs, and a connection of the adapters for verbs. When the session over TCP
 * ends, both end. Thread-safe.
 *
 * <p>When the adapters' connection breaks, the session asks for another one, for as long as a lease (rules G1 and G6). Chains wait meanwhile.
 * The memory node ends the last connection before it offers the next one, so that no verb of the last one is executed any more when the
 * chains that were in flight on it learn that their outcome is unknown.
 *
 * <p>Between joining over TCP and the adapters' connection, unsolicited messages of the memory node are kept, so that the listener gets no
 * event of a session before joining has completed.
 */
final class RdmaSession implements FabricSession, RemoteMemory, SessionListener, Connection.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaSession.class);

    /** Number of times within the request timeout that the session checks for a stuck verb. */
    private static final int LOOKS = 8;
    /** Pause before the second attempt to replace a connection; each attempt doubles it, up to the longest one. */
    private static final long FIRST_PAUSE_NANOS = 50_000_000;

    private static final long LONGEST_PAUSE_NANOS = 500_000_000;

    private final RdmaFabric fabric;
    private final ConnectionManager manager;
    private final PeerConnections peers;
    private final MemoryNodeAddress address;
    private final SessionListener listener;
    private final CompletableFuture<FabricSession> joining;
    private final EarlyEvents early = new EarlyEvents();
    private final WaitingChains waiting = new WaitingChains(this::handOn);
    /** Chains in flight on a connection that broke. */
    private final Queue<VerbChain> unknown = new ConcurrentLinkedQueue<>();

    private volatile @Nullable ControlSession control;
    // Written by the connection manager's thread; the queue is that of the last connection until the next one is
    // established.
    private volatile @Nullable Connection connection;
    private volatile @Nullable VerbQueue verbs;
    private volatile @Nullable ScheduledFuture<?> watch;
    private volatile boolean leaving;
    private volatile @Nullable FabricException over;
    /** Why verbs cannot be posted now; null while they can. */
    private volatile @Nullable Break broken;
    /** Pause before the next attempt to replace the connection; belongs to the connection manager's thread. */
    private long pause;
    /** The newest membership that the memory node sent. */
    private final AtomicReference<@Nullable Membership> membership = new AtomicReference<>();

    /**
     * A break of the adapters' connection.
     *
     * @param at time of this process at which it was noticed
     */
    private record Break(long at, FabricException why) {
        long nanos() {
            return Math.max(1, System.nanoTime() - at);
        }
    }

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
        VerbQueue queue = VerbQueue.on(established, manager, Greetings.readGrant(grant), waiting);
        verbs = queue;
        long timeout = manager.settings().requestTimeout().toNanos();
        watch = manager.timer()
                .scheduleWithFixedDelay(
                        () -> check(established, queue, timeout),
                        timeout / LOOKS,
                        Math.max(1, timeout / LOOKS),
                        TimeUnit.NANOSECONDS);
        Break last = broken;
        if (last != null) {
            goesOn(queue, last);
            return;
        }
        peers.joined(this);
        fabric.joined(this);
        early.open(() -> joining.complete(this));
    }

    /** The connection that broke has a successor: verbs are posted there. */
    private void goesOn(VerbQueue queue, Break last) {
        broken = null;
        fabric.counters().count(Counters.Event.SESSION_RESUMED);
        LOG.warn(
                "The session with memory node {} goes on with another RDMA connection after {} ms, because {}",
                address,
                TimeUnit.NANOSECONDS.toMillis(last.nanos()),
                last.why().getMessage());
        for (VerbChain chain = unknown.poll(); chain != null; chain = unknown.poll()) {
            try {
                chain.outcomeUnknown(last.why());
            } catch (RuntimeException e) {
                LOG.error("The handler of the unknown outcome of {} failed", chain, e);
            }
        }
        queue.postWhatWasLeft();
        failIfOver();
    }

    /** A chain waits that an interrupted queue cannot post. */
    private void handOn(VerbQueue from) {
        VerbQueue present = verbs;
        if (present != null && present != from) {
            present.postWhatWasLeft();
        }
        failIfOver();
    }

    private void failIfOver() {
        FabricException cause = over;
        if (cause == null) {
            return;
        }
        waiting.failAll(cause);
        for (VerbChain chain = unknown.poll(); chain != null; chain = unknown.poll()) {
            VerbQueue.fail(chain, cause);
        }
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
        } else if (isFinished() || manager.isClosed() || cause instanceof FabricException.Refused) {
            over(queue, cause);
            if (!leaving) {
                tcp().fail(new FabricException(String.valueOf(cause.getMessage()), cause));
            }
        } else if (broken == null) {
            stopWatching();
            broken = new Break(System.nanoTime(), cause);
            pause = FIRST_PAUSE_NANOS;
            unknown.addAll(queue.interrupt(cause));
            failIfOver();
            replace();
        } else {
            replaceLater(cause);
        }
    }

    /** Asks for another connection of the adapters. */
    private void replace() {
        if (isFinished()) {
            return;
        }
        tcp().rdmaOffer()
                .whenComplete((offer, failure) -> manager.execute(() -> {
                    if (isFinished()) {
                        return;
                    }
                    if (failure == null) {
                        connect(offer);
                    } else {
                        notOffered(failure);
                    }
                }));
    }

    private boolean isFinished() {
        return over != null || leaving;
    }

    private void notOffered(Throwable failure) {
        FabricException cause = new FabricException(
                "memory node " + address + " offered no other RDMA connection: " + failure.getMessage(), failure);
        if (failure instanceof FabricException.Refused) {
            tcp().fail(cause);
        } else {
            replaceLater(cause);
        }
    }

    private void replaceLater(FabricException cause) {
        Break last = broken;
        if (last == null || isFinished()) {
            return;
        }
        if (last.nanos() > joined().leaseNanos()) {
            tcp().fail(new FabricException(
                    "no other RDMA connection to memory node " + address + " could be made within "
                            + TimeUnit.NANOSECONDS.toMillis(last.nanos()) + " ms after one broke ("
                            + last.why().getMessage() + "): " + cause.getMessage(),
                    cause));
            return;
        }
        manager.timer().schedule(() -> manager.execute(this::replace), pause, TimeUnit.NANOSECONDS);
        pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }

    private void stopWatching() {
        ScheduledFuture<?> watching = watch;
        if (watching != null) {
            watching.cancel(false);
        }
    }

    private void over(VerbQueue queue, FabricException cause) {
        over = cause;
        stopWatching();
        peers.gone(this);
        fabric.gone(this);
        queue.fail(cause);
        failIfOver();
    }

    /** Called when RDMA does not work for this session: continues over TCP if that is allowed, and if there was no RDMA connection before. */
    private void giveUp(FabricException cause) {
        if (broken != null) {
            tcp().fail(cause);
        }
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
    public long disconnectedNanos() {
        Break last = broken;
        return Math.max(last == null ? 0 : last.nanos(), tcp().disconnectedNanos());
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
    public void inquired(LockInquiry inquiry) {
        early.run(() -> listener.inquired(inquiry));
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
