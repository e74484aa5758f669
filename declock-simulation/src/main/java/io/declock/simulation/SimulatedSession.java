// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static java.util.Objects.requireNonNull;

import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.session.NodeSession;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.PeerMessage;
import io.declock.spi.RemoteMemory;
import io.declock.spi.SessionListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Both ends of one session, from joining to loss; its verbs and its requests travel apart. */
final class SimulatedSession implements FabricSession {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulatedComputeNode node;
    private final SimulatedMemoryNode memoryNode;
    private final MemoryNodeLife life;
    private final SessionListener listener;
    private final SimulatedConnections connections;
    private final SimulatedVerbs verbs;
    private final SimulatedRequests requests;
    private @Nullable MemoryNodeSession accepted;
    private @Nullable JoinReply joined;

    // At the compute node.
    private long heardAt;
    private boolean closed;
    private boolean lossTold;

    // At the memory node.
    private boolean memoryLost;
    private boolean gone;
    private long goneAt;

    SimulatedSession(
            SimulatedCluster cluster,
            SimulatedComputeNode node,
            SimulatedMemoryNode memoryNode,
            MemoryNodeLife life,
            SessionListener listener) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.node = node;
        this.memoryNode = memoryNode;
        this.life = life;
        this.listener = listener;
        this.connections = new SimulatedConnections(this, cluster, memoryNode);
        this.verbs = new SimulatedVerbs(this, cluster);
        this.requests = new SimulatedRequests(this, cluster, memoryNode);
    }

    /** The memory node has accepted it. */
    void joined(MemoryNodeSession session, JoinReply reply) {
        accepted = session;
        joined = reply;
        connections.opened(session.gate());
        if (cluster.options().elections().candidates() > 0) {
            hears();
            listen();
        }
    }

    /** Something has arrived at the compute node. */
    void hears() {
        heardAt = world.now();
    }

    /** A connection on which nothing arrives counts as broken (rule G5). */
    private void listen() {
        long silence = cluster.options().cluster().lease() / 3;
        world.after(silence / 4, node, () -> {
            if (closed) {
                return;
            }
            if (world.now() - heardAt >= silence && connections.here() != null) {
                world.note(() -> node + " hears nothing on " + this);
                hears();
                falls();
            }
            listen();
        });
    }

    private void falls() {
        if (isResumable()) {
            connections.breaks(
                    world.now(),
                    world.now() + world.below(cluster.options().cluster().lease()),
                    0);
        } else {
            connectionBreaks(0);
        }
    }

    /** Returns whether it can go on with another connection when one breaks. */
    boolean isResumable() {
        return cluster.options().rare().resumptions() > 0;
    }

    /** Returns whether an adapter executes its verbs, so that nobody remembers the results of those in flight at a break. */
    boolean isExecutedByAdapter() {
        return cluster.options().rare().adapters();
    }

    SimulatedConnections connections() {
        return connections;
    }

    SimulatedVerbs verbs() {
        return verbs;
    }

    /** It goes on with another connection: the memory node has executed all chains before a number. */
    void resumed(int executed) {
        verbs.resumed(executed);
        SimulatedConnection present = connections.here();
        if (present != null) {
            requests.resumed(present);
        }
    }

    /** The members arrive with the next connection. */
    void membersAre(Membership members) {
        if (!closed) {
            listener.membershipChanged(members);
        }
    }

    /** The list of memory nodes arrives. */
    void listIs(NodeList list) {
        if (!closed && !list.isNone()) {
            listener.nodesChanged(list);
        }
    }

    /** Returns the memory node's side of it. */
    MemoryNodeSession accepted() {
        return requireNonNull(accepted, "not joined yet");
    }

    /** Returns the session that a lock's remote side belongs to, or null if it does not belong to the simulation. */
    static @Nullable SimulatedSession of(CqlLock remote) {
        return remote.environment() instanceof NodeSession session
                        && session.fabric() instanceof SimulatedSession simulated
                ? simulated
                : null;
    }

    SimulatedComputeNode node() {
        return node;
    }

    /** Receives what the memory node tells its side of the session. */
    SessionListener atMemoryNode() {
        return new SessionListener() {
            @Override
            public void membershipChanged(Membership membership) {
                requests.tell(false, () -> {
                    if (!closed) {
                        listener.membershipChanged(membership);
                    }
                });
            }

            @Override
            public void peerMessage(PeerMessage message) {
                SimulatedConnection present = connections.there();
                if (present != null && !present.losesAnswers()) {
                    cluster.deliverRelayed(node.peerAddress(), message);
                }
            }

            @Override
            public void reclaimProposed(long round, long[] records) {
                requests.tell(true, () -> {
                    if (!closed) {
                        listener.reclaimProposed(round, records);
                    }
                });
            }

            @Override
            public void nodesChanged(NodeList list) {
                requests.tell(false, () -> listIs(list));
            }

            @Override
            public void brokenOff(FabricException cause) {
                world.note(() -> "memory node breaks off " + SimulatedSession.this + ": " + cause.getMessage());
                endIsTold(String.valueOf(cause.getMessage()), listener::brokenOff);
            }

            @Override
            public void lost(FabricException cause) {
                world.note(() -> "memory node ends " + SimulatedSession.this + ": " + cause.getMessage());
                becomesGone();
                endIsTold(String.valueOf(cause.getMessage()), listener::lost);
            }
        };
    }

    @Override
    public void send(Member to, PeerMessage message) {
        cluster.observer().sends(this, to, message);
        if (to.peerAddress().isEmpty()) {
            requests.relay(message);
            return;
        }
        SimulatedCluster.Way way = cluster.way(node.peerAddress(), to.peerAddress());
        if (way == SimulatedCluster.Way.RELAYED) {
            requests.relay(message);
            return;
        }
        if (way == SimulatedCluster.Way.SILENT) {
            world.note(() -> node + " sends a message that is lost in a partition: " + message);
            return;
        }
        SimulationOptions.Network network = cluster.options().network();
        long stall = world.stall(node, network.stallChance(), network.stall());
        cluster.deliverLater(node, to.peerAddress(), message, stall);
    }

    /** Passes a message to the compute node's side. */
    void receive(PeerMessage message) {
        listener.peerMessage(message);
    }

    @Override
    public void close() {
        end("it was closed", node::toMemoryNode, listener::lost);
    }

    /** The compute node's side notices that the connection is gone; the memory node's side will in a while. */
    void connectionBreaks(long noticed) {
        end("the connection broke", () -> world.now() + noticed, listener::brokenOff);
    }

    private void end(String why, LongSupplier noticedAt, Consumer<FabricException> told) {
        if (!closed) {
            end();
            disconnectedAt(noticedAt.getAsLong());
            world.after(0, node, () -> tellLoss(why, told));
        }
    }

    /** The memory node refuses to go on with it. */
    void isOver(String why) {
        if (!closed) {
            end();
            world.after(0, node, () -> tellLoss(why, listener::brokenOff));
        }
    }

    /**
     * At that instant the memory node's side notices that the connection is gone: no verb of the session lands any more, and it stays a
     * member until its lease has expired. The compute node's side notices, too. A memory node that would resume the session keeps it.
     */
    void disconnectedAt(long instant) {
        if (isResumable()) {
            SimulatedConnection present = connections.here();
            if (present != null) {
                connections.endsThereAt(instant, present);
            }
            return;
        }
        world.at(instant, life.place(), () -> {
            if (!isCut()) {
                world.note(() -> memoryNode + " cuts " + this + ", which stays a member");
                accepted().disconnected();
                endIsTold("its connection broke", listener::brokenOff);
            }
        });
    }

    private void endIsTold(String why, Consumer<FabricException> told) {
        requests.tell(false, () -> {
            if (!closed) {
                end();
            }
            tellLoss(why, told);
        });
    }

    private void end() {
        closed = true;
        List<CompletableFuture<?>> asked = requests.end();
        world.after(0, node, () -> {
            verbs.end();
            asked.forEach(future -> future.completeExceptionally(over()));
        });
    }

    private void tellLoss(String why, Consumer<FabricException> told) {
        if (!lossTold) {
            lossTold = true;
            told.accept(new FabricException("the memory node ended the session: " + why));
        }
    }

    static FabricException over() {
        return new FabricException("the session is over");
    }

    /** The memory node has died, and its memory is lost. */
    void lostMemoryNode(boolean noticed) {
        if (noticed) {
            endIsTold("its connection broke", listener::brokenOff);
        }
        gone = true;
        memoryLost = true;
    }

    boolean isMemoryLost() {
        return memoryLost;
    }

    boolean isCut() {
        return memoryLost || accepted().isCut();
    }

    /** Returns whether a verb of it that is executed now must not be: it was cut before the verb's chain began, or is not a member. */
    boolean isBeyondCut() {
        return isCut() && (gone || !connections.isFinishing());
    }

    /** Others may acquire its locks from now on. */
    void becomesGone() {
        if (!gone) {
            gone = true;
            goneAt = world.now();
            life.forgets(this);
        }
    }

    /** Returns whether the session is no longer a member. */
    boolean isGone() {
        return gone;
    }

    /** Returns when it ceased to be a member. */
    long goneAt() {
        return goneAt;
    }

    /** Returns whether others may have acquired its locks: it is no longer a member, or a memory node with empty memory serves. */
    boolean isSucceeded() {
        return memoryLost ? memoryNode.hasServedAfter(life) : gone;
    }

    /** Returns the life of the memory node that it belongs to. */
    MemoryNodeLife life() {
        return life;
    }

    /** Returns whether its process uses it. */
    boolean isOpen() {
        return !closed && node.sessions().contains(this);
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public JoinReply joined() {
        return requireNonNull(joined, "not joined yet");
    }

    @Override
    public RemoteMemory memory() {
        return verbs;
    }

    @Override
    public ControlPlane control() {
        return requests;
    }

    @Override
    public String toString() {
        return joined == null ? "new@" + node : joined.nodeId() + "." + joined.incarnation() + "@" + node;
    }
}
