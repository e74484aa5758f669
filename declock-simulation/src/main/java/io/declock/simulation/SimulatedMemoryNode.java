// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.PredecessorAnswer;
import io.declock.internal.memorynode.PredecessorProbe;
import io.declock.internal.memorynode.ResolveAnswer;
import io.declock.internal.memorynode.Term;
import io.declock.spi.FabricException;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.Resolution;
import io.declock.spi.SessionListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The address of a memory node, and the memory node behind it: a real one for each of its lives, with a clock and timer of its own. The
 * leases of simulated runs are short, so that the memory node's clock runs {@link #PACE} times as fast as virtual time: its shortest lease
 * and its pauses are shorter by that factor, and this class converts the durations that pass.
 */
final class SimulatedMemoryNode {
    /** How many nanoseconds of a memory node pass in one of virtual time. */
    static final int PACE = 20;

    private static final long FIRST_EPOCH = (1 << 14) - 3;
    private static final long PPM = 1_000_000;
    private static final int SPARE_RECORDS = 8;
    private static final int ENGINE_DRIFT_PPM = 10_000;
    private static final String ADDRESS = "10.0.0.1:7420";
    private static final String SECOND_ADDRESS = "10.0.0.2:7420";

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
    private final String id;
    private final WatchedRegion.Observer observer;
    private final SimulatedMemberList.Disk disk = new SimulatedMemberList.Disk();
    private SimulatedNic nic = new SimulatedNic(0, 0);
    private int lives;
    private int lastThatServed;
    private long clockJump;
    private Life life;
    /** Another memory node of the same id behind the same address, or null. */
    private @Nullable Life second;

    /** Its candidates, if an engine elects one. */
    private final List<SimulatedCandidate> candidates = new ArrayList<>();

    /** One life of the memory node, from its start with empty memory to its death. */
    final class Life {
        private final int number = ++lives;
        private final long key = cluster.nextKey();
        private final SimulatedWorld.Place place = new SimulatedWorld.Place(id + " in life " + number);
        private final String address;
        private final MemoryNode node;
        private final WatchedRegion memory;
        private final List<SimulatedSession> sessions = new ArrayList<>();
        private final List<SimulatedSession> ended = new ArrayList<>();
        private final Set<Knock> unanswered = new LinkedHashSet<>();
        private final Set<Long> aged = new HashSet<>();
        private final @Nullable SimulatedMemberList list;
        /** The sessions that have restored a hold, by record, and whether it is exclusive. */
        private final Map<Long, Map<SimulatedSession, Boolean>> restored = new LinkedHashMap<>();
        /** The names of records. */
        private final Map<Long, String> names = new HashMap<>();
        /** The memory nodes that the names of restored holds come from, by record; the others were restored in the grace. */
        private final Map<Long, String> sources = new HashMap<>();

        private final Set<Long> foreign = new HashSet<>();
        /** The sessions that have restored a hold in a name that this memory node takes over, by record, and whether it is exclusive. */
        private final Map<Long, Map<SimulatedSession, Boolean>> taken = new LinkedHashMap<>();

        private final Set<SimulatedSession> moved = new HashSet<>();
        private boolean inGrace = true;

        Life(String as, String address) {
            this(as, address, cluster.options().outages().listed());
        }

        private Life(String as, String address, boolean listed) {
            this(as, address, Term.UNLIMITED, listed ? new SimulatedMemberList(cluster, disk) : MemberList.NONE);
        }

        Life(String as, String address, Term term, MemberList writtenTo) {
            this.address = address;
            list = writtenTo instanceof SimulatedMemberList simulated ? simulated : null;
            if (list != null) {
                list.isAt(place);
            }
            node = MemoryNode.create(
                    settings(as, number > 1),
                    () -> PACE * drifted(world.now()),
                    this::schedule,
                    world.randomSource(),
                    null,
                    writtenTo,
                    term);
            memory = new WatchedRegion(node.region(), node.layout(), observer);
            node.predecessors().askThrough(new Probe(this));
        }

        private void schedule(long delay, Runnable task) {
            int drift = cluster.options().outages().memoryNodeDriftPpm();
            world.after(1 + delay / PACE * PPM / (PPM + drift), place, task);
        }

        /** It dies; some of the compute nodes see their connection break. */
        private void die() {
            place.die();
            if (list != null) {
                list.dies();
            }
            sessions.forEach(session -> session.lostMemoryNode(world.chance(0.7)));
            unanswered.forEach(knock -> knock.refused(new FabricException("connection reset")));
            observer.erased(this);
        }

        /** Its term is over, and its program goes on. */
        void depose() {
            node.depose();
        }

        SimulatedWorld.Place place() {
            return place;
        }

        WatchedRegion memory() {
            return memory;
        }

        /** Returns a key for one of its records that differs from the keys of all other memory nodes' records. */
        long keyOf(long record) {
            return key << 40 | record;
        }

        /** Returns the sessions that are members. */
        List<SimulatedSession> sessions() {
            return sessions;
        }

        /** Returns the sessions that ended at or after an instant. */
        List<SimulatedSession> goneSince(long instant) {
            return ended.stream().filter(session -> session.goneAt() >= instant).toList();
        }

        /** A session has restored a hold. */
        void restored(SimulatedSession session, String name, long record, boolean exclusive) {
            String source = awaitedFor(name);
            names.put(record, name);
            if (source != null) {
                world.note(() ->
                        session + " restores its hold of '" + name + "' in record " + record + ", from " + source);
                if (sources.put(record, source) == null) {
                    taken.remove(record);
                }
                taken.computeIfAbsent(record, fresh -> new LinkedHashMap<>()).put(session, exclusive);
                return;
            }
            world.note(() -> session + " restores its hold in record " + record);
            restored.computeIfAbsent(record, fresh -> new LinkedHashMap<>()).put(session, exclusive);
        }

        private @Nullable String awaitedFor(String name) {
            NodeListState state = cluster.listAt(node);
            for (String source : state.awaited()) {
                if (NodeSet.hash(source) == state.list().former().homeOf(NodeSet.hash(name))) {
                    return source;
                }
            }
            return null;
        }

        /** It has taken over the names of another memory node, perhaps some time ago. */
        void takesOver(String source) {
            if (cluster.listAt(node).awaited().contains(source)) {
                // The word was about an earlier list.
                return;
            }
            List.copyOf(sources.keySet()).forEach(record -> {
                if (source.equals(sources.get(record))) {
                    sources.remove(record);
                    Map<SimulatedSession, Boolean> counted = new LinkedHashMap<>(taken.getOrDefault(record, Map.of()));
                    counted.keySet().removeIf(SimulatedSession::isGone);
                    observer.restored(this, record, counted);
                }
            });
        }

        /** A list was published: what is left of the names of others is nobody's. */
        void listChanges(NodeList list) {
            names.forEach((record, name) -> {
                if (belongsToAnother(list, name)) {
                    foreign.add(record);
                }
            });
        }

        private boolean belongsToAnother(NodeList list, String name) {
            return !list.isNone() && list.set().homeOf(NodeSet.hash(name)) != NodeSet.hash(node.id());
        }

        /** Returns whether a record's name has moved to another memory node. */
        boolean isForeign(long record) {
            return foreign.contains(record);
        }

        private void resolved(long record, String name) {
            if (!name.equals(names.put(record, name))) {
                foreign.remove(record);
                taken.remove(record);
            }
            if (belongsToAnother(cluster.list(), name)) {
                // By a compute node that has not moved yet.
                foreign.add(record);
            }
        }

        MemoryNode node() {
            return node;
        }

        /** A session says that it has restored every hold. */
        void moves(SimulatedSession session) {
            world.note(() -> session + " has moved");
            moved.add(session);
        }

        /** The memory node refused that. */
        void hasNotMoved(SimulatedSession session) {
            world.note(() -> session + " came too late");
            moved.remove(session);
        }

        /** Returns whether a session has restored a hold in a record. */
        boolean isRestored(long record, SimulatedSession session) {
            return restored.getOrDefault(record, Map.of()).containsKey(session)
                    || taken.getOrDefault(record, Map.of()).containsKey(session);
        }

        /** The memory node has written the records of the restored holds. */
        private void graceIsOver() {
            if (!inGrace) {
                return;
            }
            inGrace = false;
            restored.forEach((record, holds) -> {
                Map<SimulatedSession, Boolean> counted = new LinkedHashMap<>(holds);
                counted.keySet().removeIf(session -> session.isGone() || !moved.contains(session));
                observer.restored(this, record, counted);
            });
        }

        /** Returns whether it lets compute nodes join, or did. */
        private boolean serves() {
            return node.status().servesIn().isZero()
                    && node.status().graceLeft().isZero();
        }

        /** A session is no longer a member. */
        void forgets(SimulatedSession session) {
            sessions.remove(session);
            ended.add(session);
        }
    }

    SimulatedMemoryNode(SimulatedCluster cluster, String id, WatchedRegion.Observer observer) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.id = id;
        this.observer = observer;
        this.life = new Life(id, ADDRESS);
        if (cluster.options().elections().candidates() > 0) {
            // Nobody has been elected yet: it is as if it had died.
            life.place.die();
            startCandidates();
        }
    }

    private void startCandidates() {
        SimulatedEngine engine = new SimulatedEngine(cluster, id, world.between(0, ENGINE_DRIFT_PPM));
        for (int i = 0; i < cluster.options().elections().candidates(); i++) {
            candidates.add(new SimulatedCandidate(cluster, this, engine, id + "-" + i));
        }
        candidates.forEach(candidate -> world.after(
                world.below(cluster.options().elections().lease()), null, () -> candidate.start(addresses())));
    }

    private List<String> addresses() {
        return candidates.stream().map(SimulatedCandidate::address).toList();
    }

    /** Returns its candidates, none if it has no stand-bys. */
    List<SimulatedCandidate> candidates() {
        return candidates;
    }

    SimulatedCandidate candidate(String address) {
        return candidates.stream()
                .filter(candidate -> candidate.address().equals(address))
                .findFirst()
                .orElseThrow();
    }

    /** A candidate begins to serve: a life with empty memory begins. */
    Life begins(SimulatedCandidate by, Term term, MemberList list) {
        if (life.serves()) {
            lastThatServed = life.number;
        }
        life = new Life(id, by.address(), term, list);
        Life begun = life;
        world.note(() -> by.place() + " begins to serve " + begun.place);
        return begun;
    }

    /** A candidate serves no longer, or is dead. */
    void ends(Life ending) {
        if (ending.serves()) {
            lastThatServed = Math.max(lastThatServed, ending.number);
        }
        ending.die();
    }

    /** A candidate's program dies, or is told to end, and starts again at that instant. */
    void restartCandidate(SimulatedCandidate victim, boolean kills, long backAt) {
        if (!victim.isAlive()) {
            return;
        }
        if (!kills) {
            victim.terminate();
        }
        // One that is told to end takes its time.
        world.after(kills ? 0 : cluster.options().elections().lease() / 4, null, victim::die);
        world.at(
                Math.max(backAt, world.now() + cluster.options().elections().lease() / 2),
                null,
                () -> victim.start(addresses()));
    }

    /** Returns one of its candidates, mostly the one that serves. */
    SimulatedCandidate someCandidate() {
        if (world.chance(0.7)) {
            for (SimulatedCandidate candidate : candidates) {
                if (candidate.serves()) {
                    return candidate;
                }
            }
        }
        return candidates.get((int) world.below(candidates.size()));
    }

    private MemoryNodeSettings settings(String as, boolean livedBefore) {
        SimulationOptions.Cluster limits = cluster.options().cluster();
        Duration lease = Duration.ofNanos(limits.lease() * PACE);
        SimulationOptions.Wiring wiring = cluster.options().wiring();
        int records = wiring.records() > 0 ? wiring.records() : limits.locks() + SPARE_RECORDS;
        long started = world.now();
        return MemoryNodeSettings.builder(as)
                .records(records)
                .queueCapacity(limits.capacity())
                .maxComputeNodes(nodeIds())
                .recordsPerSession(records)
                .maxLease(lease)
                .formerLease(lease)
                .leaseMargin(Duration.ofNanos(limits.leaseMargin() * PACE))
                .waitOutOldSessions(livedBefore)
                .reclaimInterval(Duration.ofNanos(wiring.reclaimInterval() * PACE))
                .secondsSince2025(() -> seconds(started))
                .build();
    }

    /** Returns the seconds since 2025. A memory node in its first life starts at the same instant in every run. */
    private long seconds(long started) {
        long second = cluster.options().outages().second();
        return FIRST_EPOCH - 1 + (started == 0 ? 0 : world.now() / second);
    }

    /** Returns how many node ids there are: hardly more than compute nodes, so that ids are used again. */
    private int nodeIds() {
        SimulationOptions.Cluster limits = cluster.options().cluster();
        int least = limits.admitAll() ? limits.computeNodes() : 0;
        int ids = Math.max(limits.capacity(), least <= 2 ? 2 : Integer.highestOneBit(least - 1) * 2);
        return Math.min(ids, QueueEntry.MAX_NODE_ID);
    }

    private long drifted(long time) {
        return time + time * cluster.options().outages().memoryNodeDriftPpm() / PPM;
    }

    // ---------------------------------------------------------------- its own faults

    /** It dies and is back at that instant, with empty memory; some of the compute nodes see their connection break. */
    void restart(long backAt) {
        restart(backAt, id);
    }

    /** It dies and is back at that instant, with empty memory, under an id. */
    void restart(long backAt, String nextId) {
        world.note(() -> id + " dies and is back at " + backAt + " with empty memory as " + nextId);
        if (life.serves()) {
            lastThatServed = life.number;
        }
        life.die();
        world.at(backAt, null, () -> comeBack(nextId));
    }

    /** Returns its present life. */
    Life life() {
        return life;
    }

    /** Returns a request to join of a program that changes the list of memory nodes. */
    static JoinRequest publisher(long processId, long lease) {
        return new JoinRequest(processId, 1, "publisher", "", 0, lease * PACE);
    }

    boolean isUp() {
        return life.place.isAlive() && second == null;
    }

    /** Returns whether a compute node has an open session in its present life. */
    boolean hasJoined(SimulatedComputeNode node) {
        return life.sessions.stream().anyMatch(session -> session.node() == node && session.isOpen());
    }

    /** Until an instant a second memory node of its id lives behind its address; then one of the two dies. */
    void overlap(long end) {
        world.note(() -> "a second " + id + " begins, and lives beside the first until " + end);
        Life other = new Life(id, life.address.equals(ADDRESS) ? SECOND_ADDRESS : ADDRESS);
        second = other;
        world.at(end, null, () -> {
            boolean firstEnds = world.chance(0.7);
            world.note(() -> "the " + (firstEnds ? "first " : "second ") + id + " dies");
            Life ending = firstEnds ? life : other;
            ending.die();
            life = firstEnds ? other : life;
            second = null;
        });
    }

    /** Asks another memory node behind the address which one it is. */
    private final class Probe implements PredecessorProbe {
        private final Life asking;

        Probe(Life asking) {
            this.asking = asking;
        }

        @Override
        public boolean isWrittenOut(String address) {
            return true;
        }

        @Override
        public void ask(String address, Consumer<PredecessorAnswer> told) {
            long oneWay = cluster.options().network().oneWay();
            world.after(oneWay, null, () -> {
                Life asked = lifeAt(address);
                if (asked != null) {
                    world.after(0, asked.place, () -> answer(asked, told));
                } else if (world.chance(0.5)) {
                    world.after(oneWay, asking.place, () -> told.accept(PredecessorAnswer.nobody("refused")));
                }
            });
        }

        private void answer(Life asked, Consumer<PredecessorAnswer> told) {
            PredecessorAnswer answer = PredecessorAnswer.memoryNode(asked.node.id(), asked.node.incarnation());
            world.after(cluster.options().network().oneWay(), asking.place, () -> told.accept(answer));
        }
    }

    private @Nullable Life lifeAt(String address) {
        if (life.place.isAlive() && life.address.equals(address)) {
            return life;
        }
        Life other = second;
        return other != null && other.address.equals(address) ? other : null;
    }

    boolean hasAnotherId() {
        return !life.node.id().equals(id);
    }

    private void comeBack(String as) {
        if (!life.place.isAlive()) {
            world.note(() -> as + " is back");
            life = new Life(as, ADDRESS);
        }
    }

    /** Returns whether it has served in a later life than that one. */
    boolean hasServedAfter(Life former) {
        return lastThatServed > former.number || life.number > former.number && life.serves();
    }

    /** Moves the clock that it reports. */
    void jump(long by) {
        world.note(() -> "the clock of " + id + " jumps by " + by);
        clockJump += by;
    }

    /** Returns the place of its present life, or of its last one while it is down. */
    SimulatedWorld.Place place() {
        return life.place;
    }

    SimulatedNic nic() {
        return nic;
    }

    void use(SimulatedNic other) {
        nic = other;
    }

    // ---------------------------------------------------------------- joining

    /** @param candidate number of the candidate that is asked, 0 without stand-bys */
    CompletionStage<SimulatedSession> join(
            SimulatedComputeNode node, int candidate, JoinRequest request, SessionListener listener) {
        Knock first = new Knock(node, request, listener);
        world.at(node.toMemoryNode(), null, () -> first.arrives(candidate));
        if (cluster.options().rare().disconnects() > 0 && world.chance(0.3)) {
            long late = world.exponential(cluster.options().cluster().lease());
            Knock again = new Knock(node, request, NOBODY);
            world.after(late, null, () -> again.arrives(candidate));
        }
        return first.result;
    }

    /** A request to join. */
    private final class Knock {
        private final SimulatedComputeNode node;
        private final JoinRequest request;
        private final SessionListener listener;
        private final CompletableFuture<SimulatedSession> result = new CompletableFuture<>();

        Knock(SimulatedComputeNode node, JoinRequest request, SessionListener listener) {
            this.node = node;
            this.request = request;
            this.listener = listener;
        }

        /** It arrives at the address; a memory node that is paused reads it later. */
        void arrives(int candidate) {
            if (!candidates.isEmpty()) {
                arrivesAt(candidates.get(candidate));
            } else {
                arrives();
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
                Life by = asked.life();
                if (by == null) {
                    refused(new FabricException.Refused(FabricException.Reason.STANDS_BY, asked + " stands by"));
                } else {
                    by.unanswered.add(this);
                    read(by);
                }
            });
        }

        private void arrives() {
            if (!life.place.isAlive()) {
                refused(new FabricException("connection refused"));
                return;
            }
            Life other = second;
            Life at = other != null && world.chance(0.5) ? other : life;
            at.unanswered.add(this);
            world.after(0, at.place, () -> read(at));
        }

        private void read(Life by) {
            SimulatedSession session = new SimulatedSession(cluster, node, SimulatedMemoryNode.this, by, listener);
            try {
                MemoryNodeSession accepted = by.node.join(paced(request), by.address, session.atMemoryNode());
                session.joined(accepted, reply(accepted.joined()));
                by.sessions.add(session);
                accepted.awaitGrace(epoch -> by.graceIsOver());
                accepted.whenListed(
                        () -> {
                            by.unanswered.remove(this);
                            world.note(() -> session + " joined");
                            world.at(node.fromMemoryNode(), node, () -> result.complete(session));
                        },
                        refusal -> {
                            by.unanswered.remove(this);
                            session.becomesGone();
                            refused(refusal);
                        });
            } catch (FabricException.Refused refusal) {
                by.unanswered.remove(this);
                refused(refusal);
            }
        }

        void refused(FabricException refusal) {
            world.note(() -> node + " may not join: " + refusal.getMessage());
            world.at(node.fromMemoryNode(), node, () -> result.completeExceptionally(refusal));
        }
    }

    private static JoinRequest paced(JoinRequest request) {
        return new JoinRequest(
                request.processId(),
                request.attempt(),
                request.name(),
                request.peerAddress(),
                request.nodeSet(),
                request.highestEpoch(),
                request.leaseNanos() * PACE,
                request.former(),
                request.moves());
    }

    private JoinReply reply(JoinReply granted) {
        return new JoinReply(
                        granted.memoryNodeId(),
                        granted.memoryNodeIncarnation(),
                        granted.memoryNodeAddress(),
                        granted.nodeId(),
                        granted.incarnation(),
                        cluster.options().cluster().capacity(),
                        granted.regionBytes(),
                        granted.leaseNanos() / PACE,
                        clock(),
                        granted.membership(),
                        granted.nodeSet())
                .with(granted.nodes());
    }

    // ---------------------------------------------------------------- requests

    HeartbeatReply reply(HeartbeatReply beat) {
        return new HeartbeatReply(clock(), beat.recordsInUse(), beat.recordsTotal(), beat.membershipVersion());
    }

    /** Returns the clock as compute nodes see it; it may be wrong. */
    private long clock() {
        long error = cluster.options().faults().clockError();
        return (1L << 40) + clockJump + world.now() + world.below(2 * error + 1) - error;
    }

    void resolve(Life asked, MemoryNodeSession asking, String name, boolean create, ResolveAnswer answer) {
        asking.resolve(name.getBytes(StandardCharsets.UTF_8), create, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                if (resolution != null) {
                    asked.resolved(resolution.record(), name);
                    age(asked, resolution.record());
                    observer.resolved(asked, resolution.record());
                }
                answer.resolved(resolution);
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                answer.refused(refusal);
            }
        });
    }

    /** Makes a fresh record one that has been used nearly up to the end of its index range, if the options say so. */
    private void age(Life of, long record) {
        int left = cluster.options().cluster().indicesLeft();
        if (left >= 0 && of.aged.add(record)) {
            long header = of.memory.peek(record);
            RecordLayout layout = new RecordLayout(cluster.options().cluster().capacity());
            int end = layout.indexLimit() + RecordLayout.GUARD;
            of.memory.poke(record, LockHeader.pack(LockHeader.epoch(header), end - left, 0, 0));
        }
    }

    @Override
    public String toString() {
        return id;
    }
}
