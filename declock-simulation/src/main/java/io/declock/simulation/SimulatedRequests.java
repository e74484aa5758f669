// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.memorynode.NodeLists;
import io.declock.internal.memorynode.ResolveAnswer;
import io.declock.spi.ControlPlane;
import io.declock.spi.FabricException;
import io.declock.spi.GivenUp;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.Resolution;
import io.declock.spi.RestoredHold;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The control plane of a session: each request travels on its own, and so does its answer. */
final class SimulatedRequests implements ControlPlane {
    private final SimulatedSession session;
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulatedComputeNode node;
    private final SimulatedMemoryNode memoryNode;
    private final Map<Long, Request> requests = new LinkedHashMap<>();
    /** Numbers of what was sent without waiting for an answer. */
    private final Set<Long> unanswered = new HashSet<>();

    private long lastRequest;
    private long lastToldInOrder;

    SimulatedRequests(SimulatedSession session, SimulatedCluster cluster, SimulatedMemoryNode memoryNode) {
        this.session = session;
        this.cluster = cluster;
        this.world = cluster.world();
        this.node = session.node();
        this.memoryNode = memoryNode;
    }

    /** A request that waits for its answer, and how it is sent on a connection. */
    private record Request(CompletableFuture<?> result, Consumer<SimulatedConnection> sender) {}

    private <T> CompletionStage<T> request(Supplier<T> atMemoryNode) {
        return ask(answer -> answer.complete(atMemoryNode.get()), false);
    }

    /** Sends something that has no answer: between two connections it is lost, and it is not sent again. */
    private void send(Runnable atMemoryNode) {
        if (session.connections().here() != null) {
            long number = lastRequest + 1;
            request(() -> {
                atMemoryNode.run();
                return true;
            });
            unanswered.add(number);
        }
    }

    /** Has the memory node's side complete an answer, which then travels back. */
    private <T> CompletionStage<T> ask(Consumer<CompletableFuture<T>> atMemoryNode, boolean answeredInOrder) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (session.isClosed()) {
            world.after(0, node, () -> result.completeExceptionally(SimulatedSession.over()));
            return result;
        }
        long number = ++lastRequest;
        Request request = new Request(result, on -> send(number, on, result, atMemoryNode, answeredInOrder));
        requests.put(number, request);
        SimulatedConnection present = session.connections().here();
        if (present != null) {
            request.sender.accept(present);
        }
        return result;
    }

    private <T> void send(
            long number,
            SimulatedConnection on,
            CompletableFuture<T> result,
            Consumer<CompletableFuture<T>> atMemoryNode,
            boolean answeredInOrder) {
        world.at(node.toMemoryNode(), session.life().place(), () -> {
            if (session.isCut() || !on.isRead()) {
                return;
            }
            CompletableFuture<T> answer = new CompletableFuture<>();
            answer.whenComplete((value, refusal) -> tell(on, answeredInOrder, () -> {
                // A request that was sent again is answered twice.
                if (requests.remove(number) == null) {
                    return;
                }
                if (refusal == null) {
                    result.complete(value);
                } else {
                    result.completeExceptionally(refusal);
                }
            }));
            atMemoryNode.accept(answer);
        });
    }

    /** The session has another connection: its unanswered requests are sent again, with their numbers. */
    void resumed(SimulatedConnection on) {
        requests.keySet().removeAll(unanswered);
        unanswered.clear();
        List.copyOf(requests.values()).forEach(request -> request.sender.accept(on));
    }

    /** Something travels from the memory node to the compute node, if the session has a connection. */
    void tell(boolean inOrder, Runnable what) {
        SimulatedConnection present = session.connections().there();
        if (present != null) {
            tell(present, inOrder, what);
        }
    }

    /** Something travels from the memory node to the compute node. Resolutions and proposals to reclaim records keep their order. */
    private void tell(SimulatedConnection on, boolean inOrder, Runnable what) {
        if (on.isClosed()) {
            return;
        }
        long arrival = node.fromMemoryNode();
        if (inOrder) {
            lastToldInOrder = Math.max(lastToldInOrder, arrival);
            arrival = lastToldInOrder;
        }
        world.at(arrival, node, () -> {
            if (session.connections().isReadHere(on)) {
                session.hears();
                what.run();
            }
        });
    }

    @Override
    public CompletionStage<HeartbeatReply> heartbeat() {
        node.asksForTheTime();
        return ask(
                answer -> {
                    try {
                        answer.complete(
                                memoryNode.clock().told(session.accepted().heartbeat()));
                    } catch (FabricException e) {
                        isRefused(e);
                    }
                },
                false);
    }

    /** A heartbeat is refused only to a session that is cut, perhaps by this very heartbeat: the term is over. There is no answer to it. */
    private void isRefused(FabricException refusal) {
        if (!session.isCut()) {
            throw new IllegalStateException("a heartbeat was refused to a session that is not cut", refusal);
        }
    }

    @Override
    public CompletionStage<Resolution> resolve(String fullName) {
        if (!cluster.namesKnown()) {
            return ask(answer -> resolve(fullName, true, answer, Objects::requireNonNull), true);
        }
        CompletableFuture<Resolution> known = new CompletableFuture<>();
        resolve(fullName, true, known, Objects::requireNonNull);
        return known;
    }

    @Override
    public CompletionStage<Optional<Resolution>> lookUp(String fullName) {
        return ask(answer -> resolve(fullName, false, answer, Optional::ofNullable), true);
    }

    private <T> void resolve(
            String fullName, boolean allocate, CompletableFuture<T> answer, Function<@Nullable Resolution, T> as) {
        session.life().resolve(session.accepted(), fullName, allocate, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                answer.complete(as.apply(resolution));
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                answer.completeExceptionally(refusal);
            }
        });
    }

    @Override
    public CompletionStage<Membership> members() {
        return request(() -> session.accepted().members());
    }

    @Override
    public CompletionStage<RecordMembers> members(long record) {
        return request(() -> session.accepted().members(record));
    }

    @Override
    public CompletionStage<Void> declareNodeSet(NodeSet set) {
        return ask(
                answer -> {
                    try {
                        session.accepted().declareNodeSet(set);
                        done(answer);
                    } catch (FabricException.Refused refusal) {
                        answer.completeExceptionally(refusal);
                    }
                },
                false);
    }

    @Override
    public CompletionStage<Long> restore(RestoredHold hold) {
        return ask(
                answer -> {
                    try {
                        long record = session.accepted()
                                .restore(
                                        hold.fullName().getBytes(StandardCharsets.UTF_8),
                                        hold.exclusive(),
                                        hold.epoch());
                        session.life().restored(session, hold.fullName(), record, hold.exclusive());
                        answer.complete(record);
                    } catch (FabricException.Refused refusal) {
                        world.note(() -> memoryNode + " does not restore " + hold + " of " + session + ": "
                                + refusal.getMessage());
                        answer.completeExceptionally(refusal);
                    }
                },
                false);
    }

    @Override
    public CompletionStage<Void> reserve(long record, long nanos) {
        return ask(
                answer -> {
                    try {
                        session.accepted().reserve(record, MemoryNodeClock.paced(nanos));
                        session.life().inTrust().noted(session, record, MemoryNodeClock.paced(nanos));
                        done(answer);
                    } catch (FabricException.Refused refusal) {
                        if (refusal.reason() == FabricException.Reason.BAD_REQUEST) {
                            throw new Violation("reservation", String.valueOf(refusal.getMessage()));
                        }
                        answer.completeExceptionally(refusal);
                    }
                },
                false);
    }

    @Override
    public CompletionStage<ValueReading> readValue(long record) {
        return request(() -> session.accepted().readValue(record));
    }

    @Override
    public CompletionStage<Void> writeValue(ValueWriting writing) {
        return ask(
                answer -> {
                    try {
                        session.accepted().writeValue(writing);
                        done(answer);
                    } catch (FabricException.Refused refusal) {
                        answer.completeExceptionally(refusal);
                    }
                },
                false);
    }

    @Override
    public CompletionStage<Void> moved() {
        return ask(
                answer -> {
                    session.life().holds().moves(session);
                    try {
                        session.accepted().moved();
                        done(answer);
                    } catch (FabricException.Refused refusal) {
                        session.life().holds().hasNotMoved(session);
                        answer.completeExceptionally(refusal);
                    }
                },
                false);
    }

    @Override
    public CompletionStage<Long> awaitGrace() {
        return ask(answer -> session.accepted().awaitGrace(answer::complete), false);
    }

    private NodeLists lists() {
        return session.life().node().nodeLists();
    }

    @Override
    public CompletionStage<NodeListState> nodes() {
        return request(() -> lists().state());
    }

    @Override
    public CompletionStage<Void> declareNodes(NodeList list) {
        return ask(
                answer -> {
                    world.note(() -> session + " declares list " + list.number());
                    lists().declare(
                                    session.accepted(),
                                    list,
                                    new NodeLists.Answer<>(taken -> done(answer), answer::completeExceptionally));
                },
                false);
    }

    @Override
    public CompletionStage<Long> awaitGivenUp(long number) {
        return ask(
                answer -> lists().awaitGivenUp(
                                session.accepted(),
                                number,
                                new NodeLists.Answer<>(answer::complete, answer::completeExceptionally)),
                false);
    }

    @Override
    public CompletionStage<Long> takeOver(GivenUp word) {
        return ask(
                answer -> lists().takeOver(
                                word,
                                new NodeLists.Answer<>(
                                        epoch -> {
                                            world.note(() -> memoryNode + " hears from " + session + ": " + word);
                                            session.life().holds().takesOver(word.source());
                                            answer.complete(epoch);
                                        },
                                        answer::completeExceptionally)),
                false);
    }

    @SuppressWarnings("NullAway") // The one value of Void.
    private static void done(CompletableFuture<Void> answer) {
        answer.complete(null);
    }

    @Override
    public void relay(PeerMessage message) {
        send(() -> session.accepted().relay(message));
    }

    @Override
    public void answerReclaim(long round, long[] vetoed) {
        send(() -> session.accepted().answerReclaim(round, vetoed));
    }

    @Override
    public CompletionStage<Void> leave() {
        return ask(
                answer -> session.accepted().leave(() -> {
                    session.becomesGone();
                    done(answer);
                }),
                false);
    }

    /** The session has ended. Returns the requests that will not be answered. */
    List<CompletableFuture<?>> end() {
        List<CompletableFuture<?>> left = List.copyOf(requests.values().stream()
                .<CompletableFuture<?>>map(Request::result)
                .toList());
        requests.clear();
        return left;
    }
}
