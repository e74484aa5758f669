// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.protocol.CqlLock;
import io.declock.internal.session.NodeSession;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
    private final JoinRequest request;
    private final JoinReply joined;
    private final SessionListener listener;

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
    private boolean cut;
    private boolean gone;
    private boolean memoryLost;
    private long lastHeard;
    private final Set<Long> known = new HashSet<>();

    SimulatedSession(
            SimulatedCluster cluster,
            SimulatedComputeNode node,
            JoinRequest request,
            JoinReply joined,
            SessionListener listener) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.node = node;
        this.memoryNode = cluster.memoryNode();
        this.request = request;
        this.joined = joined;
        this.listener = listener;
        this.lastHeard = world.now();
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
        world.at(lastEntered, memoryNode.place(), () -> {
            if (!isBarred()) {
                stream.add(posted);
                if (!executing) {
                    execute();
                }
            }
        });
    }

    private void execute() {
        executing = true;
        while (!isBarred() && !stream.isEmpty()) {
            PostedChain first = stream.element();
            long pause = first.execute(this, memoryNode.memory(), memoryNode.nic());
            if (first.isExecuted()) {
                stream.remove();
                answer(first);
            } else if (pause > 0) {
                world.after(pause, memoryNode.place(), this::execute);
                return;
            }
        }
        executing = false;
    }

    /** Returns whether the session is cut: then none of its verbs lands any more. */
    private boolean isBarred() {
        return cut;
    }

    private void answer(PostedChain executed) {
        lastAnswered = Math.max(lastAnswered, node.fromMemoryNode());
        world.at(lastAnswered, node, () -> {
            if (inFlight.remove(executed.chain())) {
                if (!waiting.isEmpty()) {
                    leaveFor(waiting.remove());
                }
                world.note(() ->
                        node + " completed " + executed.chain() + Describe.results(executed, memoryNode.memory()));
                cluster.observer().answers(this, executed);
                executed.chain().completed(executed);
                cluster.observer().answered(this);
            }
        });
    }

    // ---------------------------------------------------------------- control plane

    private <T> CompletionStage<T> request(Supplier<T> atMemoryNode) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (closed) {
            world.after(0, node, () -> result.completeExceptionally(over()));
            return result;
        }
        long number = ++lastRequest;
        requests.put(number, result);
        world.at(node.toMemoryNode(), memoryNode.place(), () -> {
            if (cut) {
                return;
            }
            T answer;
            try {
                answer = atMemoryNode.get();
            } catch (RefusedException refused) {
                world.at(node.fromMemoryNode(), node, () -> {
                    requests.remove(number);
                    result.completeExceptionally(refused.refusal());
                });
                return;
            }
            world.at(node.fromMemoryNode(), node, () -> {
                if (requests.remove(number) != null) {
                    result.complete(answer);
                }
            });
        });
        return result;
    }

    /** Carries a refusal from the memory node to the answer. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final FabricException.Refused refusal;

        RefusedException(FabricException.Refused refusal) {
            super(refusal);
            this.refusal = refusal;
        }

        FabricException.Refused refusal() {
            return refusal;
        }
    }

    @Override
    public CompletionStage<HeartbeatReply> heartbeat() {
        node.asksForTheTime();
        return request(() -> {
            heard();
            return memoryNode.heartbeat();
        });
    }

    @Override
    public CompletionStage<Resolution> resolve(String fullName) {
        return cluster.namesKnown()
                ? CompletableFuture.completedFuture(learn(memoryNode.resolve(fullName)))
                : request(() -> learn(memoryNode.resolve(fullName)));
    }

    @Override
    public CompletionStage<Optional<Resolution>> lookUp(String fullName) {
        return request(() -> memoryNode.lookUp(fullName).map(this::learn));
    }

    private Resolution learn(Resolution resolution) {
        known.add(resolution.record());
        return resolution;
    }

    /** Returns whether the memory node has told it of a record. */
    boolean knows(long record) {
        return known.contains(record);
    }

    @Override
    public CompletionStage<Membership> members() {
        return request(memoryNode::membership);
    }

    @Override
    public CompletionStage<RecordMembers> members(long record) {
        return request(() -> memoryNode.members(record));
    }

    @Override
    public CompletionStage<Void> declareNodeSet(long digest) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void relay(PeerMessage message) {
        request(() -> {
            memoryNode.relay(message);
            return true;
        });
    }

    @Override
    public void answerReclaim(long round, long[] vetoed) {}

    @Override
    public CompletionStage<Void> leave() {
        CompletableFuture<Void> left = new CompletableFuture<>();
        request(() -> {
            memoryNode.cut(this, "it left");
            return true;
        });
        world.after(0, node, () -> left.complete(null));
        return left;
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

    void membershipChanged(Membership membership) {
        world.at(node.fromMemoryNode(), node, () -> {
            if (!closed) {
                listener.membershipChanged(membership);
            }
        });
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        end();
        world.at(node.toMemoryNode(), memoryNode.place(), () -> memoryNode.disconnected(this));
        world.after(0, node, () -> tellLoss("it was closed"));
    }

    /** The compute node's side notices that the connection is gone; the memory node's side will in a while. */
    void connectionBreaks(long noticed) {
        if (closed) {
            return;
        }
        end();
        world.after(noticed, memoryNode.place(), () -> memoryNode.disconnected(this));
        world.after(0, node, () -> tellLoss("the connection broke"));
    }

    /** The memory node's side cuts the session: none of its verbs lands any more. */
    boolean cutNow(String why) {
        if (cut) {
            return false;
        }
        cut = true;
        world.at(node.fromMemoryNode(), node, () -> {
            if (!closed) {
                end();
            }
            tellLoss(why);
        });
        return true;
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
            cutNow("its connection broke");
        }
        cut = true;
        gone = true;
        memoryLost = true;
    }

    /** The lease counts from now. */
    void heard() {
        lastHeard = world.now();
    }

    boolean isCut() {
        return cut;
    }

    /** The session is no longer a member. */
    void gone() {
        gone = true;
    }

    /** Returns whether the session is no longer a member. */
    boolean isGone() {
        return gone;
    }

    JoinRequest request() {
        return request;
    }

    /** Returns whether others may have acquired its locks: it is no longer a member, or a memory node with empty memory serves. */
    boolean isSucceeded() {
        return memoryLost ? memoryNode.hasServedAfter(joined.memoryNodeIncarnation()) : gone;
    }

    boolean isClosed() {
        return closed;
    }

    long lastHeard() {
        return lastHeard;
    }

    @Override
    public JoinReply joined() {
        return joined;
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
        return joined.nodeId() + "." + joined.incarnation() + "@" + node;
    }
}
