// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.rdma.RdmaOffer;
import io.declock.internal.tcp.client.ControlSession;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricException;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RemoteMemory;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A session over TCP that is joined, with tickets by the rules, and nobody at the other end. */
final class StandingSession implements ControlSession {
    static final long MEMORY_NODE = 77;
    static final int NODE_ID = 1;
    static final int INCARNATION = 5;
    private static final byte[] KEY = {1, 2, 3};

    /** What the memory node offers. */
    final CompletableFuture<Optional<RdmaOffer>> offer = new CompletableFuture<>();

    volatile Membership members = members(0);

    static Membership members(long version, Member... members) {
        return new Membership(version, List.of(members));
    }

    @Override
    public CompletionStage<Optional<RdmaOffer>> rdmaOffer() {
        return offer;
    }

    @Override
    public CompletionStage<byte[]> rdmaGrant() {
        return new CompletableFuture<>();
    }

    @Override
    public InetAddress remoteAddress() {
        return InetAddress.ofLiteral("10.0.0.9");
    }

    /** The peers of this test have this node's key, so that a ticket is the same in both directions. */
    @Override
    public CompletionStage<byte[]> ticketFor(Member to) {
        return CompletableFuture.completedFuture(ticketFrom(to.nodeId(), to.incarnation()));
    }

    @Override
    public byte[] ticketFrom(int nodeId, int incarnation) {
        return Proofs.prove(KEY, "declock ticket", Proofs.identity(MEMORY_NODE, nodeId, incarnation));
    }

    @Override
    public void fail(FabricException cause) {}

    @Override
    public JoinReply joined() {
        return new JoinReply("mn-1", MEMORY_NODE, "", NODE_ID, INCARNATION, 8, 4096, 1, 0, members, NodeSet.NONE);
    }

    @Override
    public RemoteMemory memory() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ControlPlane control() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void send(Member to, PeerMessage message) {}

    @Override
    public void close() {}
}
