// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.MemoryNodeAddress;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.GivenUp;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Adds a memory node to those that a deployment uses, or removes one, while compute nodes work (rule M1 of docs/protocol.md). It joins every
 * memory node, has all of them agree to the next list, and only then declares it. Blocks; not thread-safe.
 */
public final class NodeListPublisher implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final long STEP_MILLIS = 5_000;
    /** How often each candidate is tried. */
    private static final int ROUNDS = 3;

    private static final long LOOK_NANOS = 100_000_000;
    private static final int HEARTBEATS_PER_LEASE = 5;

    private final Fabric fabric;
    private final Clock clock;
    private final TimerService timer;
    private final long processId;
    private final Consumer<String> progress;
    private final Map<String, Joined> joined = new LinkedHashMap<>();
    private final Map<String, NodeList.Node> given = new LinkedHashMap<>();
    private volatile NodeList newest = NodeList.NONE;
    private final Set<String> carrying = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** A memory node and the session with it. */
    private record Joined(NodeList.Node node, FabricSession session) {}

    /**
     * What went wrong.
     *
     * <p>The message says what was tried and what to do.
     */
    public static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        Failure(String message, Throwable cause) {
            super(message, cause);
        }

        Failure(String message) {
            super(message);
        }
    }

    /**
     * Makes one without sessions.
     *
     * @param processId identifies this process to the memory nodes
     * @param progress receives what is being done, for people
     */
    public NodeListPublisher(
            Fabric fabric, Clock clock, TimerService timer, long processId, Consumer<String> progress) {
        this.fabric = fabric;
        this.clock = clock;
        this.timer = timer;
        this.processId = processId;
        this.progress = progress;
    }

    // ---------------------------------------------------------------- joining

    /**
     * Joins memory nodes, and all others that are on their list.
     *
     * @param addresses all memory nodes that are used; any one of them if they have a list
     * @throws Failure if one cannot be joined
     */
    public void join(List<MemoryNodeAddress> addresses) throws Failure, InterruptedException {
        for (MemoryNodeAddress address : addresses) {
            Joined one = join(address);
            given.put(one.node.id(), one.node);
        }
        for (NodeList.Node node : newest.nodes()) {
            if (!joined.containsKey(node.id())) {
                join(MemoryNodeAddress.parse(node.address()));
            }
        }
    }

    private Joined join(MemoryNodeAddress address) throws Failure, InterruptedException {
        for (Joined one : joined.values()) {
            if (one.node.address().equals(address.toString())) {
                return one;
            }
        }
        FabricSession session = joinServing(address);
        String id = session.joined().memoryNodeId();
        Joined fresh = new Joined(new NodeList.Node(id, address.toString()), session);
        Joined other = joined.putIfAbsent(id, fresh);
        if (other != null) {
            session.close();
            return other;
        }
        NodeList told = session.joined().nodes().list();
        if (told.number() > newest.number()) {
            newest = told;
        }
        beat(fresh);
        return fresh;
    }

    /** Joins the candidate that serves. Each round also tries another address of a name that has several. */
    private FabricSession joinServing(MemoryNodeAddress address) throws Failure, InterruptedException {
        int candidates = address.candidates().size();
        long began = clock.nanoTime();
        Set<String> failures = new LinkedHashSet<>();
        for (int attempt = 1; attempt <= ROUNDS * candidates; attempt++) {
            JoinRequest request =
                    new JoinRequest(processId + address.hashCode(), attempt, "declock nodes", "", 0, LEASE.toNanos());
            MemoryNodeAddress turned = address.beginningWith((attempt - 1) % candidates);
            try {
                return answer("Joining memory node " + address, fabric.join(turned, request, new Deaf()));
            } catch (Failure e) {
                failures.add(e.getMessage());
                if (clock.nanoTime() - began > TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS)) {
                    break;
                }
            }
        }
        throw new Failure(String.join("; ", failures));
    }

    private void beat(Joined one) {
        timer.schedule(one.session.joined().leaseNanos() / HEARTBEATS_PER_LEASE, () -> {
            if (!closed) {
                one.session.control().heartbeat();
                beat(one);
            }
        });
    }

    private static <T> T answer(String what, CompletionStage<T> stage) throws Failure, InterruptedException {
        try {
            return stage.toCompletableFuture().get(STEP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new Failure(what + ": " + cause.getMessage(), e);
        } catch (TimeoutException e) {
            throw new Failure(what + ": there was no answer within " + STEP_MILLIS + " ms", e);
        }
    }

    // ---------------------------------------------------------------- what is there

    /** Returns how far each joined memory node is with its list. */
    public Map<NodeList.Node, NodeListState> states() throws Failure, InterruptedException {
        Map<NodeList.Node, NodeListState> states = new LinkedHashMap<>();
        for (Joined one : joined.values()) {
            states.put(one.node, state(one));
        }
        return states;
    }

    private static NodeListState state(Joined one) throws Failure, InterruptedException {
        return answer(
                "Asking memory node " + one.node.id(), one.session.control().nodes());
    }

    /** Returns the memory nodes that are used at present. */
    public List<NodeList.Node> present() {
        return newest.isNone() ? List.copyOf(given.values()) : newest.nodes();
    }

    // ---------------------------------------------------------------- changing it

    /**
     * Adds a memory node.
     *
     * @param address where compute nodes reach it
     * @return the new list
     * @throws Failure if a memory node does not agree; then nothing has changed
     */
    public NodeList add(MemoryNodeAddress address) throws Failure, InterruptedException {
        List<NodeList.Node> nodes = new ArrayList<>(present());
        checkWhole(nodes);
        Joined added = join(address);
        NodeList.Node node = new NodeList.Node(added.node.id(), address.toString());
        if (nodes.stream().anyMatch(one -> one.id().equals(node.id()))) {
            throw new Failure("memory node '" + node.id() + "' (" + address + ") is used already");
        }
        nodes.add(node);
        return publish(new NodeList(newest.number() + 1, nodes, node, true));
    }

    /**
     * Removes a memory node.
     *
     * @param id its stable id
     * @return the new list
     * @throws Failure if a memory node does not agree; then nothing has changed
     */
    public NodeList remove(String id) throws Failure, InterruptedException {
        List<NodeList.Node> nodes = new ArrayList<>(present());
        checkWhole(nodes);
        NodeList.Node node = nodes.stream()
                .filter(one -> one.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new Failure("no memory node '" + id + "' is used, but "
                        + nodes.stream().map(NodeList.Node::id).toList()));
        nodes.remove(node);
        if (nodes.isEmpty()) {
            throw new Failure("memory node '" + id + "' is the only one");
        }
        return publish(new NodeList(newest.number() + 1, nodes, node, false));
    }

    /** Checks, where there is no list yet, that the given memory nodes are all that compute nodes use. */
    private void checkWhole(List<NodeList.Node> nodes) throws Failure {
        if (!newest.isNone()) {
            return;
        }
        NodeSet all = NodeSet.of(nodes.stream().map(NodeList.Node::id).toList());
        for (Joined one : joined.values()) {
            NodeSet declared = one.session.joined().nodeSet();
            if (!declared.isNone() && !declared.equals(all)) {
                throw new Failure("the compute nodes of memory node '" + one.node.id() + "' use " + declared.size()
                        + " memory nodes, and not the " + nodes.size() + " that were given: give all of them");
            }
        }
    }

    private NodeList publish(NodeList list) throws Failure, InterruptedException {
        bringUpToDate();
        progress.accept("Asking " + joined.size() + " memory nodes to agree to " + list.describe());
        for (Joined one : joined.values()) {
            answer(
                    "Asking memory node '" + one.node.id() + "' to agree",
                    one.session.control().proposeNodes(list));
        }
        boolean isFirst = true;
        for (Joined one : joined.values()) {
            try {
                answer(
                        "Giving memory node '" + one.node.id() + "' the list",
                        one.session.control().declareNodes(list));
            } catch (Failure e) {
                if (isFirst) {
                    throw e;
                }
                progress.accept(e.getMessage() + ". It will learn of the list from a compute node");
            }
            isFirst = false;
        }
        newest = list;
        return list;
    }

    /** A memory node that was down when the last list was declared has to have it before the next one. */
    private void bringUpToDate() throws Failure, InterruptedException {
        for (Joined one : joined.values()) {
            boolean isListed = newest.node(one.node.id()).isPresent();
            if (isListed && one.session.joined().nodes().list().number() < newest.number()) {
                answer(
                        "Giving memory node '" + one.node.id() + "' the last list",
                        one.session.control().declareNodes(newest));
            }
        }
    }

    /**
     * Waits until every name has moved.
     *
     * @return what is still missing, an empty text if nothing is
     */
    public String awaitMoved(Duration patience) throws Failure, InterruptedException {
        return await(patience, this::missing);
    }

    /**
     * Waits until the list can be changed: every name has moved, and memory nodes that have just started know it.
     *
     * @return what is in the way, an empty text if nothing is
     */
    public String awaitChangeable(Duration patience) throws Failure, InterruptedException {
        return await(patience, () -> {
            String missing = missing();
            return missing.isEmpty() ? obstacle() : missing;
        });
    }

    /** Tells what is waited for. */
    @FunctionalInterface
    private interface Missing {
        /** Returns what is missing, an empty text if nothing is. */
        String text() throws Failure, InterruptedException;
    }

    private String await(Duration patience, Missing wanted) throws Failure, InterruptedException {
        long deadline = clock.nanoTime() + patience.toNanos();
        String missing = "";
        String told = "";
        do {
            carry();
            missing = wanted.text();
            if (!missing.isEmpty()) {
                if (!missing.equals(told)) {
                    progress.accept("Waiting: " + missing);
                    told = missing;
                }
                pause();
            }
        } while (!missing.isEmpty() && clock.nanoTime() - deadline < 0);
        return missing;
    }

    /** Returns why a memory node of the list does not agree to another one now. Without a list each says so when it is asked to agree. */
    private String obstacle() throws Failure, InterruptedException {
        for (Joined one : joined.values()) {
            String obstacle = newest.isNone() ? "" : state(one).obstacle();
            if (!obstacle.isEmpty()) {
                return obstacle;
            }
        }
        return "";
    }

    private void pause() throws Failure, InterruptedException {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        timer.schedule(LOOK_NANOS, () -> over.complete(true));
        answer("Pausing", over);
    }

    /** Carries the word of those that have given names up, as every compute node does: there may be none. */
    private void carry() {
        for (NodeList.Node source : newest.sources()) {
            Joined from = joined.get(source.id());
            if (from != null && carrying.add(source.id())) {
                from.session.control().awaitGivenUp(newest.number()).whenComplete((epoch, failure) -> {
                    carrying.remove(source.id());
                    if (failure == null) {
                        tell(new GivenUp(source.id(), newest.number(), epoch));
                    }
                });
            }
        }
    }

    private void tell(GivenUp word) {
        for (NodeList.Node target : newest.targets()) {
            Joined to = joined.get(target.id());
            if (to != null) {
                to.session.control().takeOver(word);
            }
        }
    }

    private String missing() throws Failure, InterruptedException {
        for (Joined one : joined.values()) {
            NodeListState state = state(one);
            if (state.list().number() < newest.number()) {
                return "memory node '" + one.node.id() + "' does not have list " + newest.number() + " yet";
            }
            if (state.undeclared() > 0) {
                return state.undeclared() + " compute nodes at memory node '" + one.node.id()
                        + "' have not gone over to the list yet";
            }
            if (!state.awaited().isEmpty()) {
                return "memory node '" + one.node.id() + "' has not taken over yet the names of "
                        + String.join(", ", state.awaited());
            }
        }
        return "";
    }

    /** Leaves every memory node. */
    @Override
    public void close() {
        closed = true;
        for (Joined one : joined.values()) {
            try {
                answer("Leaving", one.session.control().leave());
            } catch (Failure e) {
                // The session ends with its lease.
                one.session.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** This process has no locks. */
    private static final class Deaf implements SessionListener {
        @Override
        public void membershipChanged(Membership membership) {}

        @Override
        public void peerMessage(PeerMessage message) {}

        @Override
        public void reclaimProposed(long round, long[] records) {}

        @Override
        public void lost(FabricException cause) {}
    }
}
