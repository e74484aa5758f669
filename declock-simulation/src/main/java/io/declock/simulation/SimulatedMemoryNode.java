// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.layout.RecordLayout;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.Resolution;
import io.declock.spi.SessionListener;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The memory node: its memory, its directory of names, its sessions with their leases. */
final class SimulatedMemoryNode {
    private static final long FIRST_INCARNATION = 0x5EED;
    private static final long FIRST_EPOCH = (1 << 14) - 3;

    /** Listener of a session made by a request to join whose caller no longer waits. */
    private static final SessionListener NOBODY = new SessionListener() {
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
    private final SimulatedWorld.Place place = new SimulatedWorld.Place("memory node");
    private final SimulatedMemory.Observer observer;
    private SimulatedMemory memory;
    private SimulatedNic nic = new SimulatedNic(0, 0);
    private final Map<String, Long> directory = new LinkedHashMap<>();
    private final List<SimulatedSession> sessions = new ArrayList<>();
    private final Map<SimulatedSession, Long> cuts = new LinkedHashMap<>();
    private final Map<Integer, Long> idFreeFrom = new HashMap<>();
    private int incarnations;
    private long membershipVersion;
    private Membership membership = new Membership(0, List.of());
    private long incarnation = FIRST_INCARNATION;
    private long firstEpoch = FIRST_EPOCH;
    private long upFrom;
    private long servesFrom;
    private long lastThatServed;
    private long clockJump;

    SimulatedMemoryNode(SimulatedCluster cluster, SimulatedMemory.Observer observer) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.observer = observer;
        this.memory = emptyMemory();
    }

    private SimulatedMemory emptyMemory() {
        return new SimulatedMemory(new RecordLayout(cluster.options().cluster().capacity()), observer);
    }

    // ---------------------------------------------------------------- its own faults

    /** It dies and is back at that instant, with empty memory; some of the compute nodes see their connection break. */
    void restart(long backAt) {
        world.note(() -> "memory node dies and is back at " + backAt + " with empty memory");
        sessions.forEach(session -> session.lostMemoryNode(world.chance(0.7)));
        sessions.clear();
        cuts.clear();
        idFreeFrom.clear();
        directory.clear();
        membershipVersion = 0;
        membership = new Membership(0, List.of());
        memory = emptyMemory();
        observer.erased();
        lastThatServed = mustWaitForOldHolders() ? lastThatServed : incarnation;
        incarnation++;
        upFrom = backAt;
        SimulationOptions.Cluster limits = cluster.options().cluster();
        servesFrom = backAt + limits.lease() + limits.leaseMargin();
        raiseFirstEpoch(FIRST_EPOCH + world.now() / cluster.options().outages().second());
    }

    private void raiseFirstEpoch(long above) {
        firstEpoch = Math.max(firstEpoch, above + 1);
    }

    /** Returns whether holders from its former incarnation may still trust their leases after a restart (rule C3). */
    private boolean mustWaitForOldHolders() {
        return world.now() < servesFrom;
    }

    /** Returns whether it has served in a later incarnation than that one. */
    boolean hasServedAfter(long life) {
        return lastThatServed > life || incarnation > life && !mustWaitForOldHolders();
    }

    private @Nullable FabricException refusal(JoinRequest request) {
        if (world.now() < upFrom) {
            return new FabricException("connection refused");
        }
        if (servesFrom > 0) {
            noteReportedEpoch(request.highestEpoch());
        }
        if (mustWaitForOldHolders()) {
            return new FabricException.Refused(FabricException.Reason.NOT_YET, "old leases must expire first");
        }
        SimulationOptions.Cluster limits = cluster.options().cluster();
        if (isOvertaken(request)) {
            return new FabricException.Refused(FabricException.Reason.NOT_YET, "a later attempt has joined");
        }
        return ofProcess(request) == null && sessions.size() >= limits.capacity() && !limits.admitAll()
                ? new FabricException.Refused(
                        FabricException.Reason.TOO_MANY_COMPUTE_NODES, "as many as the capacity are joined")
                : null;
    }

    private void noteReportedEpoch(long reported) {
        raiseFirstEpoch(reported);
    }

    /** Moves its clock. */
    void jump(long by) {
        world.note(() -> "the memory node's clock jumps by " + by);
        clockJump += by;
    }

    SimulatedWorld.Place place() {
        return place;
    }

    SimulatedMemory memory() {
        return memory;
    }

    SimulatedNic nic() {
        return nic;
    }

    void use(SimulatedNic other) {
        nic = other;
    }

    Membership membership() {
        return membership;
    }

    /** Returns the members and which of them know a record. */
    RecordMembers members(long record) {
        BitSet users = new BitSet();
        for (SimulatedSession session : sessions) {
            users.set(session.joined().nodeId(), session.knows(record));
        }
        return RecordMembers.of(membership, users);
    }

    List<SimulatedSession> sessions() {
        return sessions;
    }

    // ---------------------------------------------------------------- sessions

    CompletionStage<FabricSession> join(SimulatedComputeNode node, JoinRequest request, SessionListener listener) {
        CompletableFuture<FabricSession> result = new CompletableFuture<>();
        world.at(node.toMemoryNode(), place, () -> asksToJoin(node, request, listener, result));
        if (cluster.options().rare().disconnects() > 0 && world.chance(0.3)) {
            long late = world.exponential(cluster.options().cluster().lease());
            world.after(late, place, () -> asksToJoin(node, request, NOBODY, new CompletableFuture<>()));
        }
        return result;
    }

    private void asksToJoin(
            SimulatedComputeNode node,
            JoinRequest request,
            SessionListener listener,
            CompletableFuture<FabricSession> result) {
        FabricException refusal = refusal(request);
        if (refusal != null) {
            world.at(node.fromMemoryNode(), node, () -> result.completeExceptionally(refusal));
            return;
        }
        SimulatedSession earlier = ofProcess(request);
        int nodeId = earlier == null ? freeNodeId() : earlier.joined().nodeId();
        if (earlier != null) {
            replace(earlier);
        }
        Member fresh = new Member(nodeId, ++incarnations, request.peerAddress(), request.name());
        membership = extended(fresh);
        SimulatedSession session = new SimulatedSession(cluster, node, request, reply(fresh, request), listener);
        sessions.forEach(other -> other.membershipChanged(membership));
        sessions.add(session);
        watch(session);
        world.note(() -> session + " joined");
        world.at(node.fromMemoryNode(), node, () -> result.complete(session));
    }

    private JoinReply reply(Member fresh, JoinRequest request) {
        return new JoinReply(
                "mn",
                incarnation,
                // There is only one memory node.
                "",
                fresh.nodeId(),
                fresh.incarnation(),
                cluster.options().cluster().capacity(),
                1L << 30,
                request.leaseNanos(),
                clock(),
                membership);
    }

    private @Nullable SimulatedSession ofProcess(JoinRequest request) {
        for (SimulatedSession session : sessions) {
            if (session.request().processId() == request.processId()) {
                return session;
            }
        }
        return null;
    }

    /** Returns whether a request arrived late: it must not end the session that its process has joined since. */
    private boolean isOvertaken(JoinRequest request) {
        SimulatedSession present = ofProcess(request);
        return present != null && request.attempt() <= present.request().attempt();
    }

    /** Replaces a session whose process joins again: the session is over at once, and its node id passes to the new one without a gap. */
    private void replace(SimulatedSession earlier) {
        world.note(() -> earlier + " is replaced");
        earlier.cutNow("its process has joined again");
        forget(earlier);
    }

    private void forget(SimulatedSession session) {
        session.gone();
        sessions.remove(session);
        cuts.put(session, world.now());
        membership = without(session.joined().nodeId());
    }

    private int freeNodeId() {
        int id = 1;
        while (membership.byNodeId(id) != null || isResting(id)) {
            id++;
        }
        return id;
    }

    /** Returns whether an id must not be assigned yet: a whole lease must pass after its session was cut before it is assigned again. */
    private boolean isResting(int id) {
        return idFreeFrom.getOrDefault(id, 0L) > world.now();
    }

    private Membership without(int nodeId) {
        return new Membership(
                membershipVersion,
                membership.members().stream()
                        .filter(member -> member.nodeId() != nodeId)
                        .toList());
    }

    private Membership extended(Member fresh) {
        List<Member> members = new ArrayList<>(membership.members());
        members.add(fresh);
        return new Membership(++membershipVersion, members);
    }

    private void watch(SimulatedSession session) {
        long end = leaseEnd(session);
        world.at(end, place, () -> {
            if (session.isGone()) {
                return;
            }
            if (!session.isCut()
                    && world.now() - end > cluster.options().cluster().leaseMargin()) {
                // The memory node was paused and may not have read heartbeats that arrived meanwhile.
                session.heard();
            }
            if (leaseEnd(session) > world.now()) {
                watch(session);
            } else {
                cut(session, "its lease ran out");
            }
        });
    }

    /** Returns the end of a session's lease by the memory node's clock, which may be fast or slow. */
    private long leaseEnd(SimulatedSession session) {
        long lease = session.joined().leaseNanos();
        int drift = cluster.options().outages().memoryNodeDriftPpm();
        return session.lastHeard()
                + lease
                - lease * drift / 1_000_000
                + cluster.options().cluster().leaseMargin();
    }

    /** A session's connection is gone: none of its verbs lands any more, and it stays a member until its lease has expired. */
    void disconnected(SimulatedSession session) {
        if (session.cutNow("its connection broke")) {
            world.note(() -> "memory node cuts " + session + ", which stays a member");
        }
    }

    /** Cuts a session's data plane first, and then tells the others. */
    void cut(SimulatedSession session, String why) {
        if (session.isGone()) {
            return;
        }
        session.cutNow(why);
        world.note(() -> "memory node ends " + session + ": " + why);
        idFreeFrom.put(
                session.joined().nodeId(),
                world.now()
                        + session.joined().leaseNanos()
                        + cluster.options().cluster().leaseMargin());
        membershipVersion++;
        forget(session);
        sessions.forEach(other -> other.membershipChanged(membership));
    }

    /** Returns the sessions that ended at or after an instant. */
    List<SimulatedSession> goneSince(long instant) {
        return cuts.entrySet().stream()
                .filter(cut -> cut.getValue() >= instant)
                .map(Map.Entry::getKey)
                .toList();
    }

    // ---------------------------------------------------------------- requests

    HeartbeatReply heartbeat() {
        return new HeartbeatReply(clock(), memory.records(), 1 << 20, membership.version());
    }

    /** Returns the clock as compute nodes see it; it may be wrong. */
    private long clock() {
        long error = cluster.options().faults().clockError();
        return (1L << 40) + clockJump + world.now() + world.below(2 * error + 1) - error;
    }

    Resolution resolve(String name) {
        Long known = directory.get(name);
        if (known == null) {
            int below = cluster.options().cluster().belowLimit();
            int head = below < 0 ? 0 : memory.layout().indexLimit() - below;
            known = memory.allocate(firstEpoch, head);
            directory.put(name, known);
        }
        return new Resolution(known, memory.read(memory.layout().epoch(known)));
    }

    Optional<Resolution> lookUp(String name) {
        return directory.containsKey(name) ? Optional.of(resolve(name)) : Optional.empty();
    }

    void relay(PeerMessage message) {
        Member to = membership.byNodeId(message.toNode());
        if (to != null) {
            cluster.deliverRelayed(to.peerAddress(), message);
        }
    }
}
