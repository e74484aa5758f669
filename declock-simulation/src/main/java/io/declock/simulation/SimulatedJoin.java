// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.spi.FabricException;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One request of a compute node to join a memory node, on its way there and back. */
final class SimulatedJoin implements MemoryNodeLife.Caller {
    /** Listener of a session made by a request to join whose caller no longer waits. */
    static final SessionListener NOBODY = new SessionListener() {
        @Override
        public void membershipChanged(Membership membership) {}

        @Override
        public void peerMessage(PeerMessage message) {}

        @Override
        public void reclaimProposed(long round, long[] records) {}

        @Override
        public void lost(FabricException cause) {}
    };

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulatedMemoryNode memoryNode;
    private final SimulatedComputeNode node;
    private final JoinRequest request;
    private final SessionListener listener;
    private final CompletableFuture<SimulatedSession> result = new CompletableFuture<>();

    private SimulatedJoin(
            SimulatedCluster cluster,
            SimulatedMemoryNode memoryNode,
            SimulatedComputeNode node,
            JoinRequest request,
            SessionListener listener) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.memoryNode = memoryNode;
        this.node = node;
        this.request = request;
        this.listener = listener;
    }

    /**
     * Sends one, and with some chance the same once more, later.
     *
     * @param candidate number of the candidate that is asked, 0 without stand-bys
     */
    static CompletionStage<SimulatedSession> send(
            SimulatedCluster cluster,
            SimulatedMemoryNode memoryNode,
            int candidate,
            SimulatedComputeNode node,
            JoinRequest request,
            SessionListener listener) {
        SimulatedWorld world = cluster.world();
        SimulatedJoin first = new SimulatedJoin(cluster, memoryNode, node, request, listener);
        world.at(node.toMemoryNode(), null, () -> first.arrives(candidate));
        if (cluster.options().rare().disconnects() > 0 && world.chance(0.3)) {
            long late = world.exponential(cluster.options().cluster().lease());
            SimulatedJoin again = new SimulatedJoin(cluster, memoryNode, node, request, NOBODY);
            world.after(late, null, () -> again.arrives(candidate));
        }
        return first.result;
    }

    /** It arrives at the address; a memory node that is paused reads it later. */
    private void arrives(int candidate) {
        if (!memoryNode.candidates().isEmpty()) {
            arrivesAt(memoryNode.candidates().all().get(candidate));
        } else if (!memoryNode.life().isAlive()) {
            refused(new FabricException("connection refused"));
        } else {
            MemoryNodeLife at = memoryNode.someLife();
            at.hears(this);
            world.after(0, at.place(), () -> read(at));
        }
    }

    private void arrivesAt(SimulatedCandidate asked) {
        if (!asked.isAlive()) {
            refused(new FabricException("connection refused"));
            return;
        }
        Runnable reset = () -> refused(new FabricException("connection reset"));
        asked.whenDead(reset);
        // One that is paused is given up, so that the others are asked.
        world.after(cluster.options().cluster().lease() / 4, node, () -> {
            if (!result.isDone()) {
                refused(new FabricException("no answer"));
            }
        });
        world.after(0, asked.place(), () -> {
            asked.notWhenDead(reset);
            MemoryNodeLife by = asked.life();
            if (by == null) {
                refused(new FabricException.Refused(FabricException.Reason.STANDS_BY, asked + " stands by"));
            } else {
                by.hears(this);
                read(by);
            }
        });
    }

    private void read(MemoryNodeLife by) {
        SimulatedSession session = new SimulatedSession(cluster, node, memoryNode, by, listener);
        try {
            MemoryNodeSession accepted =
                    by.node().join(MemoryNodeClock.paced(request), by.address(), session.atMemoryNode());
            session.joined(accepted, memoryNode.clock().told(accepted.joined()));
            by.accepts(session, accepted);
            accepted.entry()
                    .whenWritten(
                            () -> {
                                by.hasAnswered(this);
                                world.note(() -> session + " joined");
                                world.at(node.fromMemoryNode(), node, () -> result.complete(session));
                            },
                            refusal -> {
                                by.hasAnswered(this);
                                session.becomesGone();
                                refused(refusal);
                            });
        } catch (FabricException.Refused refusal) {
            by.hasAnswered(this);
            refused(refusal);
        }
    }

    @Override
    public void refused(FabricException refusal) {
        world.note(() -> node + " may not join: " + refusal.getMessage());
        world.at(node.fromMemoryNode(), node, () -> result.completeExceptionally(refusal));
    }
}
