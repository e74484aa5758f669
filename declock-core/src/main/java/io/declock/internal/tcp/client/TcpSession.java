// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.Counters;
import io.declock.internal.tcp.wire.FrameWriter;
import io.declock.internal.tcp.wire.Messages;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricException;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.RemoteMemory;
import io.declock.spi.Resolution;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** One session over TCP. Thread-safe. */
final class TcpSession implements ControlSession, RemoteMemory, ControlPlane {
    private final TcpFabric fabric;
    private final SessionConnection connection;
    private final JoinReply joined;
    private final byte[] peerKey;
    private final SessionListener listener;
    private final String node;
    private final PeerLinks peers;

    TcpSession(
            TcpFabric fabric,
            SessionConnection connection,
            JoinReply joined,
            byte[] peerKey,
            SessionListener listener,
            String node) {
        this.fabric = fabric;
        this.connection = connection;
        this.joined = joined;
        this.peerKey = peerKey;
        this.listener = listener;
        this.node = node;
        this.peers = new PeerLinks(fabric, this);
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
        return this;
    }

    SessionListener listener() {
        return listener;
    }

    PeerLinks peers() {
        return peers;
    }

    SessionConnection connection() {
        return connection;
    }

    @Override
    public void post(VerbChain chain) {
        for (int i = 0; i < chain.size(); i++) {
            fabric.counters().verb(chain.purpose(), chain.verb(i));
        }
        connection.chains().add(chain);
        FabricException failure = connection.failure();
        if (failure == null) {
            connection.chainsAdded();
            failure = connection.failure();
        }
        if (failure != null) {
            // The end of the connection may have failed the waiting chains before this one was added.
            connection.chains().failWaiting(failure);
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
        if (connection.isStalled()) {
            // Messages may be lost, and those that the memory node does not read must not pile up.
            return;
        }
        fabric.counters().count(Counters.Event.PEER_RELAYED);
        connection.send(out -> {
            int start = FrameWriter.begin(out, Wire.PEER_MESSAGE);
            Messages.writePeer(out, message);
            FrameWriter.end(out, start);
        });
    }

    @FunctionalInterface
    private interface Arguments {
        void write(ByteBuf out);
    }

    private <A, T> CompletableFuture<T> ask(int type, Class<A> answer, Function<A, T> result, Arguments arguments) {
        long deadline = System.nanoTime() + fabric.settings().requestTimeout().toNanos();
        PendingRequests.Request<T> request = connection.requests().begin(answer, result, deadline);
        connection.send(out -> {
            int start = FrameWriter.begin(out, type);
            out.writeIntLE(request.id());
            arguments.write(out);
            FrameWriter.end(out, start);
        });
        return request.future();
    }

    @Override
    public CompletionStage<HeartbeatReply> heartbeat() {
        return ask(Wire.HEARTBEAT, HeartbeatReply.class, Function.identity(), out -> {});
    }

    @Override
    public CompletionStage<Resolution> resolve(String fullName) {
        return find(Wire.RESOLVE, fullName, found -> (Resolution) found.orElseThrow());
    }

    @Override
    public CompletionStage<Optional<Resolution>> lookUp(String fullName) {
        return find(Wire.LOOK_UP, fullName, found -> found.map(Resolution.class::cast));
    }

    @SuppressWarnings("rawtypes")
    private <T> CompletionStage<T> find(int type, String fullName, Function<Optional<?>, T> result) {
        byte[] name = fullName.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > Wire.MAX_TEXT) {
            return CompletableFuture.failedStage(new FabricException.Refused(
                    FabricException.Reason.BAD_REQUEST,
                    "a full lock name must have 1 to " + Wire.MAX_TEXT + " bytes in UTF-8, this one has "
                            + name.length));
        }
        Function<Optional, T> typed = result::apply;
        return ask(type, Optional.class, typed, out -> FrameWriter.countedBytes(out, name));
    }

    @Override
    public CompletionStage<Membership> members() {
        return ask(Wire.MEMBERS, Membership.class, Function.identity(), out -> {});
    }

    @Override
    public CompletionStage<RecordMembers> members(long record) {
        return ask(Wire.RECORD_MEMBERS, RecordMembers.class, Function.identity(), out -> out.writeLongLE(record));
    }

    @Override
    public CompletionStage<Void> declareNodeSet(long digest) {
        return ask(
                Wire.DECLARE_NODE_SET, SessionAnswers.Done.class, TcpSession::nothing, out -> out.writeLongLE(digest));
    }

    /** Asks the memory node for the ticket that authenticates this member to another. */
    CompletableFuture<SessionAnswers.Ticket> ticket(Member to) {
        return ask(
                Wire.TICKET,
                SessionAnswers.Ticket.class,
                Function.identity(),
                out -> out.writeByte(to.nodeId()).writeIntLE(to.incarnation()));
    }

    @Override
    @SuppressWarnings({"rawtypes", "unchecked"})
    public CompletionStage<Optional<DirectWay>> directWay() {
        Function<Optional, Optional<DirectWay>> typed = way -> way;
        return ask(Wire.DIRECT_ACCESS, Optional.class, typed, out -> {});
    }

    @Override
    public CompletionStage<byte[]> directGrant() {
        return ask(Wire.DIRECT_GRANT, SessionAnswers.DirectGrant.class, SessionAnswers.DirectGrant::bytes, out -> {});
    }

    @Override
    public InetAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public CompletionStage<byte[]> ticketFor(Member to) {
        return ticket(to).thenApply(SessionAnswers.Ticket::bytes);
    }

    @Override
    public byte[] ticketFrom(int nodeId, int incarnation) {
        return Proofs.prove(
                peerKey, "declock ticket", Proofs.identity(joined.memoryNodeIncarnation(), nodeId, incarnation));
    }

    @Override
    public void fail(FabricException cause) {
        connection.close(cause);
    }

    @Override
    public void answerReclaim(long round, long[] vetoed) {
        connection.send(out -> {
            int start = FrameWriter.begin(out, Wire.RECLAIM_ANSWER);
            out.writeLongLE(round);
            FrameWriter.longs(out, vetoed);
            FrameWriter.end(out, start);
        });
    }

    @Override
    public CompletionStage<Void> leave() {
        return ask(
                Wire.LEAVE,
                SessionAnswers.Done.class,
                done -> {
                    connection.left();
                    return nothing(done);
                },
                out -> {});
    }

    @SuppressWarnings("NullAway") // The one value of Void.
    private static Void nothing(SessionAnswers.Done done) {
        return null;
    }

    @Override
    public void close() {
        connection.close(new FabricException("the session with " + node + " was closed"));
    }
}
