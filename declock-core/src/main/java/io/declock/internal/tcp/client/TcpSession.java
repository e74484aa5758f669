// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.Counters;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.MemberFrames;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.RdmaFrames;
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
    private final byte[] memberKey;
    private final SessionListener listener;
    private final String node;
    private final PeerLinks peers;

    TcpSession(
            TcpFabric fabric,
            SessionConnection connection,
            HandshakeFrames.Joined joined,
            SessionListener listener,
            String node) {
        this.fabric = fabric;
        this.connection = connection;
        this.joined = joined.reply();
        this.memberKey = joined.memberKey();
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
        connection.send(out -> PeerFrames.writePeerMessage(out, message));
    }

    /** Writes a request. */
    @FunctionalInterface
    private interface Request {
        void write(ByteBuf out, int number);
    }

    private <A, T> CompletableFuture<T> ask(Class<A> answer, Function<A, T> result, Request frame) {
        long deadline = System.nanoTime() + fabric.settings().requestTimeout().toNanos();
        PendingRequests.Request<T> request = connection.requests().begin(answer, result, deadline);
        connection.send(out -> frame.write(out, request.id()));
        return request.future();
    }

    @Override
    public CompletionStage<HeartbeatReply> heartbeat() {
        return ask(HeartbeatReply.class, Function.identity(), ControlFrames::writeHeartbeat);
    }

    @Override
    public CompletionStage<Resolution> resolve(String fullName) {
        return find(ControlFrames::writeResolve, fullName, Optional::orElseThrow);
    }

    @Override
    public CompletionStage<Optional<Resolution>> lookUp(String fullName) {
        return find(ControlFrames::writeLookUp, fullName, Function.identity());
    }

    /** Writes a request about a name. */
    @FunctionalInterface
    private interface NameRequest {
        void write(ByteBuf out, int number, byte[] fullName);
    }

    private <T> CompletionStage<T> find(NameRequest frame, String fullName, Function<Optional<Resolution>, T> result) {
        byte[] name = fullName.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > Wire.MAX_TEXT) {
            return CompletableFuture.failedStage(new FabricException.Refused(
                    FabricException.Reason.BAD_REQUEST,
                    "a full lock name must have 1 to " + Wire.MAX_TEXT + " bytes in UTF-8, this one has "
                            + name.length));
        }
        return ask(
                ControlFrames.Found.class,
                found -> result.apply(Optional.ofNullable(found.resolution())),
                (out, request) -> frame.write(out, request, name));
    }

    @Override
    public CompletionStage<Membership> members() {
        return ask(Membership.class, Function.identity(), MemberFrames::writeMembers);
    }

    @Override
    public CompletionStage<RecordMembers> members(long record) {
        return ask(
                RecordMembers.class,
                Function.identity(),
                (out, request) -> MemberFrames.writeRecordMembers(out, request, record));
    }

    @Override
    public CompletionStage<Void> declareNodeSet(long digest) {
        return ask(
                SessionAnswers.Done.class,
                TcpSession::nothing,
                (out, request) -> ControlFrames.writeDeclareNodeSet(out, request, digest));
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
        return connection.remoteAddress();
    }

    @Override
    public byte[] ticketFrom(int nodeId, int incarnation) {
        return Proofs.prove(
                memberKey, "declock ticket", Proofs.identity(joined.memoryNodeIncarnation(), nodeId, incarnation));
    }

    @Override
    public void fail(FabricException cause) {
        connection.close(cause);
    }

    @Override
    public void answerReclaim(long round, long[] vetoed) {
        connection.send(out -> ControlFrames.writeReclaimAnswer(out, round, vetoed));
    }

    @Override
    public CompletionStage<Void> leave() {
        return ask(
                SessionAnswers.Done.class,
                done -> {
                    connection.left();
                    return nothing(done);
                },
                ControlFrames::writeLeave);
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
