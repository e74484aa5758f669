// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static java.util.Objects.requireNonNull;

import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.ResolveAnswer;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.session.NodeSession;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Both ends of one session. The data plane is one ordered stream: chains are executed in the order in which they entered it, and
 * answered in that order. Control requests travel on their own.
 */
final class SimulatedSession implements FabricSession, RemoteMemory, ControlPlane {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulatedComputeNode node;
    private final SimulatedMemoryNode memoryNode;
    private final SimulatedMemoryNode.Life life;
    private final SessionListener listener;
    private @Nullable MemoryNodeSession accepted;
    private @Nullable JoinReply joined;

    // At the compute node.
    private final Set<VerbChain> inFlight = new LinkedHashSet<>();
    private final ArrayDeque<VerbChain> waiting = new ArrayDeque<>();
    private final Map<Long, CompletableFuture<?>> requests = new LinkedHashMap<>();
    private long lastRequest;
    private boolean closed;
    private boolean lossTold;
    private long lastEntered;
    private long lastAnswered;

    // At the memory node.
    private final ArrayDeque<PostedChain> stream = new ArrayDeque<>();
    private boolean executing;
    private boolean memoryLost;
    private boolean gone;
    private long goneAt;
    private long lastToldInOrder;

    SimulatedSession(
            SimulatedCluster cluster,
            SimulatedComputeNode node,
            SimulatedMemoryNode memoryNode,
            SimulatedMemoryNode.Life life,
            SessionListener listener) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.node = node;
        this.memoryNode = memoryNode;
        this.life = life;
        this.listener = listener;
    }

    /** The memory node has accepted it. */
    void joined(MemoryNodeSession session, JoinReply reply) {
        accepted = session;
        joined = reply;
    }

    private MemoryNodeSession accepted() {
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

    // ---------------------------------------------------------------- data plane

    @Override
    public void post(VerbChain chain) {
        cluster.observer().posts(this, chain);
        SimulationOptions.Network network = cluster.options().network();
        long stall = world.stall(node, network.stallChance(), network.stall());
        if (stall == 0) {
            enter(chain);
        } else {
            world.after(stall, node, () -> enter(chain));
        }
    }

    private void enter(VerbChain chain) {
        if (closed) {
            world.after(0, node, () -> chain.failed(over()));
            return;
        }
        int window = cluster.options().outages().window();
        if (window > 0 && inFlight.size() >= window) {
            waiting.add(chain);
            return;
        }
        leaveFor(chain);
    }

    private void leaveFor(VerbChain chain) {
        for (int i = 0; i < chain.size(); i++) {
            node.counters().verb(chain.purpose(), chain.verb(i));
        }
        inFlight.add(chain);
        lastEntered = Math.max(lastEntered, node.toMemoryNode());
        PostedChain posted = new PostedChain(world, cluster.options().network(), chain);
        world.at(lastEntered, life.place(), () -> {
            stream.add(posted);
            if (!executing) {
                execute();
            }
        });
    }

    private void execute() {
        executing = true;
        while (!stream.isEmpty() && !memoryLost && accepted().enter()) {
            PostedChain first = stream.element();
            long pause;
            try {
                pause = first.execute(this, life.memory(), memoryNode.nic());
            } finally {
                accepted().exit();
            }
            if (first.isExecuted()) {
                stream.remove();
                answer(first);
            } else if (pause > 0) {
                world.after(pause, life.place(), this::execute);
                return;
            }
        }
        executing = false;
    }

    private void answer(PostedChain executed) {
        lastAnswered = Math.max(lastAnswered, node.fromMemoryNode());
        world.at(lastAnswered, node, () -> {
            if (inFlight.remove(executed.chain())) {
                if (!waiting.isEmpty()) {
                    leaveFor(waiting.remove());
                }
                world.note(() -> node + " completed " + executed.chain() + Describe.results(executed, life.memory()));
                cluster.observer().answers(this, executed);
                executed.chain().completed(executed);
                cluster.observer().answered(this);
            }
        });
    }

    // ---------------------------------------------------------------- control plane

    /** Takes the answer to a request at the memory node. */
    private interface Answer<T> {
        void is(T value);

        void refused(FabricException.Refused refusal);
    }

    private <T> CompletionStage<T> request(Supplier<T> atMemoryNode) {
        return ask(answer -> answer.is(atMemoryNode.get()), false);
    }

    private <T> CompletionStage<T> ask(Consumer<Answer<T>> atMemoryNode, boolean answeredInOrder) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (closed) {
            world.after(0, node, () -> result.completeExceptionally(over()));
            return result;
        }
        long number = ++lastRequest;
        requests.put(number, result);
        world.at(node.toMemoryNode(), life.place(), () -> {
            if (isCut()) {
                return;
            }
            atMemoryNode.accept(new Answer<>() {
                @Override
                public void is(T value) {
                    tell(answeredInOrder, () -> {
                        if (requests.remove(number) != null) {
                            result.complete(value);
                        }
                    });
                }

                @Override
                public void refused(FabricException.Refused refusal) {
                    tell(answeredInOrder, () -> {
                        if (requests.remove(number) != null) {
                            result.completeExceptionally(refusal);
                        }
                    });
                }
            });
        });
        return result;
    }

    /** Something travels from the memory node to the compute node. Resolutions and proposals to reclaim records keep their order. */
    private void tell(boolean inOrder, Runnable what) {
        long arrival = node.fromMemoryNode();
        if (inOrder) {
            lastToldInOrder = Math.max(lastToldInOrder, arrival);
            arrival = lastToldInOrder;
        }
        world.at(arrival, node, what);
    }

    @Override
    public CompletionStage<HeartbeatReply> heartbeat() {
        node.asksForTheTime();
        return request(() -> {
            try {
                return memoryNode.reply(accepted().heartbeat());
            } catch (FabricException e) {
                throw new IllegalStateException("a heartbeat was refused to a session that is not cut", e);
            }
        });
    }

    @Override
    public CompletionStage<Resolution> resolve(String fullName) {
        if (!cluster.namesKnown()) {
            return ask(answer -> memoryNode.resolve(life, accepted(), fullName, true, resolving(answer)), true);
        }
        CompletableFuture<Resolution> known = new CompletableFuture<>();
        memoryNode.resolve(life, accepted(), fullName, true, resolving(new Answer<>() {
            @Override
            public void is(Resolution value) {
                known.complete(value);
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                known.completeExceptionally(refusal);
            }
        }));
        return known;
    }

    private static ResolveAnswer resolving(Answer<Resolution> answer) {
        return new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                answer.is(requireNonNull(resolution));
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                answer.refused(refusal);
            }
        };
    }

    @Override
    public CompletionStage<Optional<Resolution>> lookUp(String fullName) {
        return ask(
                answer -> memoryNode.resolve(life, accepted(), fullName, false, new ResolveAnswer() {
                    @Override
                    public void resolved(@Nullable Resolution resolution) {
                        answer.is(Optional.ofNullable(resolution));
                    }

                    @Override
                    public void refused(FabricException.Refused refusal) {
                        answer.refused(refusal);
                    }
                }),
                true);
    }

    @Override
    public CompletionStage<Membership> members() {
        return request(() -> accepted().members());
    }

    @Override
    public CompletionStage<RecordMembers> members(long record) {
        return request(() -> accepted().members(record));
    }

    @Override
    public CompletionStage<Void> declareNodeSet(long digest) {
        return ask(
                answer -> {
                    try {
                        accepted().declareNodeSet(digest);
                        done(answer);
                    } catch (FabricException.Refused refusal) {
                        answer.refused(refusal);
                    }
                },
                false);
    }

    @SuppressWarnings("NullAway") // The one value of Void.
    private static void done(Answer<Void> answer) {
        answer.is(null);
    }

    @Override
    public void relay(PeerMessage message) {
        request(() -> {
            accepted().relay(message);
            return true;
        });
    }

    @Override
    public void answerReclaim(long round, long[] vetoed) {
        request(() -> {
            accepted().answerReclaim(round, vetoed);
            return true;
        });
    }

    @Override
    public CompletionStage<Void> leave() {
        return ask(
                answer -> accepted().leave(() -> {
                    becomesGone();
                    done(answer);
                }),
                false);
    }

    /** Receives what the memory node tells its side of the session. */
    SessionListener atMemoryNode() {
        return new SessionListener() {
            @Override
            public void membershipChanged(Membership membership) {
                tell(false, () -> {
                    if (!closed) {
                        listener.membershipChanged(membership);
                    }
                });
            }

            @Override
            public void peerMessage(PeerMessage message) {
                cluster.deliverRelayed(node.peerAddress(), message);
            }

            @Override
            public void reclaimProposed(long round, long[] records) {
                tell(true, () -> {
                    if (!closed) {
                        listener.reclaimProposed(round, records);
                    }
                });
            }

            @Override
            public void lost(FabricException cause) {
                world.note(() -> "memory node ends " + SimulatedSession.this + ": " + cause.getMessage());
                becomesGone();
                endIsTold(String.valueOf(cause.getMessage()));
            }
        };
    }

    // ---------------------------------------------------------------- peers and the end

    @Override
    public void send(Member to, PeerMessage message) {
        cluster.observer().sends(this, to, message);
        SimulatedCluster.Way way = cluster.way(node.peerAddress(), to.peerAddress());
        if (way == SimulatedCluster.Way.RELAYED) {
            relay(message);
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
        if (closed) {
            return;
        }
        end();
        disconnectedAt(node.toMemoryNode());
        world.after(0, node, () -> tellLoss("it was closed"));
    }

    /** The compute node's side notices that the connection is gone; the memory node's side will in a while. */
    void connectionBreaks(long noticed) {
        if (closed) {
            return;
        }
        end();
        disconnectedAt(world.now() + noticed);
        world.after(0, node, () -> tellLoss("the connection broke"));
    }

    /**
     * At that instant the memory node's side notices that the connection is gone: no verb of the session lands any more, and it stays a
     * member until its lease has expired. The compute node's side notices, too.
     */
    void disconnectedAt(long instant) {
        world.at(instant, life.place(), () -> {
            if (!isCut()) {
                world.note(() -> memoryNode + " cuts " + this + ", which stays a member");
                accepted().disconnected();
                endIsTold("its connection broke");
            }
        });
    }

    private void endIsTold(String why) {
        tell(false, () -> {
            if (!closed) {
                end();
            }
            tellLoss(why);
        });
    }

    private void end() {
        closed = true;
        List<VerbChain> unanswered = new ArrayList<>(inFlight);
        unanswered.addAll(waiting);
        inFlight.clear();
        waiting.clear();
        List<CompletableFuture<?>> open = new ArrayList<>(requests.values());
        requests.clear();
        world.after(0, node, () -> {
            unanswered.forEach(chain -> chain.failed(over()));
            open.forEach(future -> future.completeExceptionally(over()));
        });
    }

    private void tellLoss(String why) {
        if (!lossTold) {
            lossTold = true;
            listener.lost(new FabricException("the memory node ended the session: " + why));
        }
    }

    private static FabricException over() {
        return new FabricException("the session is over");
    }

    /** The memory node has died, and its memory is lost. */
    void lostMemoryNode(boolean noticed) {
        if (noticed) {
            endIsTold("its connection broke");
        }
        gone = true;
        memoryLost = true;
    }

    boolean isCut() {
        return memoryLost || accepted().isCut();
    }

    private void becomesGone() {
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
    SimulatedMemoryNode.Life life() {
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
        return this;
    }

    @Override
    public ControlPlane control() {
        return this;
    }

    @Override
    public String toString() {
        return joined == null ? "new@" + node : joined.nodeId() + "." + joined.incarnation() + "@" + node;
    }
}
