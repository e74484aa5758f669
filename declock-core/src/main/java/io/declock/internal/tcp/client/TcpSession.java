// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.Counters;
import io.declock.MemoryNodeAddress;
import io.declock.Verb;
import io.declock.internal.chains.ChainWindow;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.RdmaFrames;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.ControlPlane;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.FabricException;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RemoteMemory;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One session over TCP, which has several connections in turn (rules G1 to G3): when one breaks, the session keeps its chains and
 * requests, and resumes on the next one. All of them belong to one event loop, and so does everything that is not said to be for any
 * thread. Thread-safe.
 */
final class TcpSession implements ControlSession, RemoteMemory, SessionControl.Line {
    private final TcpFabric fabric;
    private final JoinReply joined;
    private final byte[] memberKey;
    private final boolean resumable;
    private final long leaseNanos;
    private final SessionListener listener;
    private final MemoryNodeAddress address;
    private final String node;
    private final int version;
    private final InetSocketAddress remoteAddress;
    private static final int SILENT_PART = 4;
    private static final long LONGEST_SILENCE_NANOS = 2_000_000_000L;
    private static final int CHECKS = 4;

    private final EventLoop loop;
    private final ChainWindow chains;
    private final PendingRequests requests = new PendingRequests();
    private final SessionAnswers answers;
    private final SessionControl control = new SessionControl(this);
    private final PeerLinks peers;
    private final Resumption resumption;

    /** Something waits for an answer, or did at the last check, so that another check follows. */
    private final AtomicBoolean watching = new AtomicBoolean();

    // Written by the event loop, null between two connections.
    private volatile @Nullable SessionConnection connection;
    private volatile @Nullable FabricException failure;
    /** This process wants no other connection. */
    private volatile @Nullable FabricException closing;

    /** Checks in a row that found the connection silent. Belongs to the event loop. */
    private int silentChecks;
    /** The last connection was given up because it was silent. Belongs to the event loop. */
    private boolean fellSilent;

    private boolean left;
    /** It has no connection any more, but nobody has ended it. */
    private volatile boolean brokenOff;
    // Written by the event loop.
    private volatile long brokenAt;
    private @Nullable FabricException brokenBy;

    TcpSession(
            TcpFabric fabric,
            SessionConnection connection,
            HandshakeFrames.Joined joined,
            long leaseNanos,
            SessionListener listener,
            MemoryNodeAddress address) {
        this.fabric = fabric;
        this.connection = connection;
        this.joined = joined.reply();
        this.memberKey = joined.memberKey();
        this.resumable = joined.resumable();
        this.leaseNanos = leaseNanos;
        this.listener = listener;
        this.address = address;
        this.node = "memory node " + address.candidates().get(0);
        this.remoteAddress = connection.remoteAddress();
        this.loop = connection.channel().eventLoop();
        this.version = connection.version();
        this.chains = new ChainWindow(fabric.settings().maxInFlight());
        this.answers = new SessionAnswers(node, requests, listener, this.joined.membership());
        this.peers = new PeerLinks(fabric, this);
        this.resumption = new Resumption(fabric, this, loop);
    }

    @Override
    public JoinReply joined() {
        return joined;
    }

    @Override
    public boolean isChainOneRequest() {
        return true;
    }

    @Override
    public RemoteMemory memory() {
        return this;
    }

    @Override
    public ControlPlane control() {
        return control;
    }

    SessionListener listener() {
        return listener;
    }

    PeerLinks peers() {
        return peers;
    }

    ChainWindow chains() {
        return chains;
    }

    SessionAnswers answers() {
        return answers;
    }

    byte[] memberKey() {
        return memberKey;
    }

    MemberId memberId() {
        return new MemberId(joined.nodeId(), joined.incarnation());
    }

    MemoryNodeAddress address() {
        return address;
    }

    @Override
    public String node() {
        return node;
    }

    @Override
    public int version() {
        return version;
    }

    @Override
    public Membership members() {
        return answers.members();
    }

    /** Returns the address and port to which the session's first connection led. */
    InetSocketAddress socketAddress() {
        return remoteAddress;
    }

    long leaseNanos() {
        return leaseNanos;
    }

    /** Returns whether the session has ended or is about to end; any thread. */
    boolean isOver() {
        return failure != null || closing != null;
    }

    @Override
    public long disconnectedNanos() {
        return connection != null ? 0 : Math.max(1, System.nanoTime() - brokenAt);
    }

    /**
     * Watches for chains and requests that are not answered in time, and for a connection on which nothing arrives, until nothing waits for
     * an answer: an idle session needs no check. Called after each of them is added; any thread.
     */
    private void watch() {
        if (!watching.get() && watching.compareAndSet(false, true)) {
            checkLater();
        }
    }

    private void checkLater() {
        long timeout = fabric.settings().requestTimeout().toNanos();
        long silence = Math.min(leaseNanos / SILENT_PART, LONGEST_SILENCE_NANOS);
        long interval = Math.max(1, Math.min(timeout, silence) / CHECKS);
        try {
            loop.schedule(() -> check(timeout, (int) (silence / interval)), interval, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The event loop has ended, and with it every connection: nothing waits for an answer.
            watching.set(false);
        }
    }

    private void check(long timeout, int mostSilentChecks) {
        if (failure != null) {
            return;
        }
        long now = System.nanoTime();
        SessionConnection present = connection;
        if (present != null && chains.isStuck(now, timeout)) {
            present.close(new FabricException(
                    node + " has executed nothing for " + TimeUnit.NANOSECONDS.toMillis(timeout) + " ms"));
        } else if (present != null && resumable) {
            listen(present, mostSilentChecks);
        }
        requests.expire(now, node);
        if (!isIdle()) {
            checkLater();
            return;
        }
        silentChecks = 0;
        watching.set(false);
        if (!isIdle()) {
            // Added between the two checks, whose caller may have seen that this session is watched.
            watch();
        }
    }

    private boolean isIdle() {
        return requests.isEmpty() && chains.isEmpty();
    }

    /**
     * Gives up a connection on which nothing arrives although a heartbeat, or something else, was asked: a machine that has lost its power, or a
     * network that is cut, says no farewell (rule G5). Counts checks and not time, so that a pause of this process is not taken for silence.
     * Without resumption a slow memory node would cost every hold.
     */
    private void listen(SessionConnection present, int mostSilentChecks) {
        silentChecks = present.hasHeard() || requests.isEmpty() ? 0 : silentChecks + 1;
        if (silentChecks >= mostSilentChecks) {
            silentChecks = 0;
            fellSilent = true;
            present.close(new FabricException("nothing came from it although it was asked"));
        }
    }

    /** The connection has ended. */
    void disconnected(SessionConnection ended, FabricException why, boolean isFinal) {
        if (connection != ended) {
            return;
        }
        brokenAt = System.nanoTime();
        connection = null;
        if (isFinal || closing != null) {
            end(why);
            return;
        }
        if (!resumable) {
            breakOff(why);
            return;
        }
        brokenBy = why;
        resumption.begin(fellSilent);
        fellSilent = false;
    }

    /**
     * The session goes on with another connection, on which the answers to the executed chains follow: writes the other chains and the
     * unanswered requests again.
     */
    void resumed(SessionConnection next) {
        connection = next;
        fabric.counters().count(Counters.Event.SESSION_RESUMED);
        fabric.log()
                .warn(
                        "The session with {} goes on with another connection after {} ms, because {}",
                        node,
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - brokenAt),
                        brokenBy == null ? "" : brokenBy.getMessage());
        brokenBy = null;
        next.send(requests::writeAgain);
    }

    /** Ends the session, because it has no connection any more: its holds may be restored in the memory node's next life. */
    void breakOff(FabricException why) {
        brokenOff = true;
        end(why);
    }

    /** Ends the session. */
    void end(FabricException why) {
        if (failure != null) {
            return;
        }
        failure = why;
        resumption.stop(why);
        chains.failAll(why);
        requests.failAll(why);
        fabric.gone(this);
        peers.close();
        if (left) {
            return;
        }
        if (brokenOff) {
            listener.brokenOff(why);
        } else {
            listener.lost(why);
        }
    }

    /** Ends the session and its connection; any thread. */
    private void close(FabricException why) {
        closing = why;
        try {
            loop.execute(() -> {
                SessionConnection present = connection;
                if (present == null) {
                    end(why);
                } else {
                    present.close(why);
                }
            });
        } catch (RejectedExecutionException e) {
            // The event loop has ended, and with it every connection.
            end(why);
        }
    }

    @Override
    public void post(VerbChain chain) {
        if (version < Wire.EXTENDED_ATOMICS_VERSION) {
            refuseExtended(chain);
        }
        for (int i = 0; i < chain.size(); i++) {
            fabric.counters().verb(chain.purpose(), chain.verb(i));
        }
        chains.add(chain);
        watch();
        SessionConnection present = connection;
        if (present != null) {
            present.chainsAdded();
        }
        // Between two connections the chain waits for the next one.
        FabricException over = failure;
        if (over != null) {
            // The end of the session may have failed the waiting chains before this one was added.
            chains.failWaiting(over);
        }
    }

    private void refuseExtended(VerbChain chain) {
        Verb extended = ExtendedAtomics.first(chain);
        if (extended != null) {
            throw new UnsupportedOperationException(
                    node + " does not know the verb " + extended + ": it speaks version " + version
                            + " of the wire protocol, and extended atomics need version "
                            + Wire.EXTENDED_ATOMICS_VERSION + ": update it");
        }
    }

    @Override
    public void send(Member to, PeerMessage message) {
        if (to.nodeId() == joined.nodeId() && to.incarnation() == joined.incarnation()) {
            fabric.execute(() -> listener.peerMessage(message));
        } else if (peers.send(to, message)) {
            fabric.counters().count(Counters.Event.PEER_DIRECT);
        } else {
            relay(message);
        }
    }

    @Override
    public void relay(PeerMessage message) {
        SessionConnection present = connection;
        if (present == null || present.isStalled()) {
            // Messages may be lost, and those that the memory node does not read must not pile up.
            return;
        }
        fabric.counters().count(Counters.Event.PEER_RELAYED);
        PeerMessage known = PeerFrames.inVersion(message, version);
        present.send(out -> PeerFrames.writePeerMessage(out, known));
    }

    @Override
    public void tell(Consumer<ByteBuf> frame) {
        SessionConnection present = connection;
        if (present != null) {
            present.send(frame::accept);
        }
    }

    @Override
    public <A, T> CompletableFuture<T> ask(Class<A> answer, Function<A, T> result, PendingRequests.Writer frame) {
        long deadline = System.nanoTime() + fabric.settings().requestTimeout().toNanos();
        PendingRequests.Request<T> request = requests.begin(answer, result, frame, deadline);
        watch();
        SessionConnection present = connection;
        if (present != null) {
            present.send(request.frame());
        }
        return request.future();
    }

    @Override
    public <A, T> CompletableFuture<T> askAfterChains(
            Class<A> answer, Function<A, T> result, PendingRequests.Writer frame) {
        return ask(answer, result, (out, request) -> {
            SessionConnection present = connection;
            if (present != null) {
                present.writeMore(out);
            }
            frame.write(out, request);
        });
    }

    @Override
    public CompletableFuture<byte[]> ticketFor(Member to) {
        MemberId peer = new MemberId(to.nodeId(), to.incarnation());
        return ask(
                PeerFrames.Ticket.class,
                PeerFrames.Ticket::bytes,
                (out, request) -> PeerFrames.writeTicket(out, request, peer));
    }

    @Override
    public CompletionStage<Optional<RdmaOffer>> rdmaOffer() {
        return ask(
                RdmaFrames.Offered.class, offered -> Optional.ofNullable(offered.offer()), RdmaFrames::writeRdmaAccess);
    }

    @Override
    public CompletionStage<byte[]> rdmaGrant() {
        return ask(RdmaFrames.Grant.class, RdmaFrames.Grant::bytes, RdmaFrames::writeRdmaGrant);
    }

    @Override
    public InetAddress remoteAddress() {
        return remoteAddress.getAddress();
    }

    @Override
    public byte[] ticketFrom(int nodeId, int incarnation) {
        return Proofs.prove(
                memberKey, "declock ticket", Proofs.identity(joined.memoryNodeIncarnation(), nodeId, incarnation));
    }

    @Override
    public void fail(FabricException cause) {
        brokenOff = true;
        close(cause);
    }

    @Override
    public CompletionStage<Void> leave() {
        FabricException why = new FabricException("this process left " + node);
        // A memory node that may have carried out the request has no session to resume.
        closing = why;
        CompletableFuture<Void> done = ask(
                SessionAnswers.Done.class,
                answer -> {
                    left = true;
                    close(why);
                    return SessionControl.nothing(answer);
                },
                ControlFrames::writeLeave);
        if (connection == null) {
            close(why);
        }
        return done;
    }

    @Override
    public void close() {
        close(new FabricException("the session with " + node + " was closed"));
    }
}
