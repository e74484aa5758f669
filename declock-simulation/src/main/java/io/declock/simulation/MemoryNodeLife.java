// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.ResolveAnswer;
import io.declock.internal.memorynode.Term;
import io.declock.spi.FabricException;
import io.declock.spi.NodeList;
import io.declock.spi.Resolution;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One life of a memory node, from its start with empty memory to its death: a real memory node, and its sessions. */
final class MemoryNodeLife {
    /** A request to join that this life has not answered yet. */
    interface Caller {
        void refused(FabricException refusal);
    }

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final WatchedRegion.Observer observer;
    private final int number;
    private final long key;
    private final SimulatedWorld.Place place;
    private final String address;
    private final MemoryNode node;
    private final WatchedRegion memory;
    private final @Nullable SimulatedMemberList list;
    private final RecordNames names;
    private final RestoredHolds holds;
    private final PositionsInTrust kept;
    private final List<SimulatedSession> sessions = new ArrayList<>();
    private final List<SimulatedSession> ended = new ArrayList<>();
    private final Set<Caller> unanswered = new LinkedHashSet<>();
    private final Set<Long> aged = new HashSet<>();

    /**
     * Begins one.
     *
     * @param number tells the lives of a memory node apart; later ones have higher numbers
     * @param place where it lives
     * @param as id under which it lives
     */
    MemoryNodeLife(
            SimulatedCluster cluster,
            MemoryNodeClock clock,
            WatchedRegion.Observer observer,
            int number,
            SimulatedWorld.Place place,
            String as,
            String address,
            Term term,
            MemberList writtenTo) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.observer = observer;
        this.number = number;
        this.key = cluster.nextKey();
        this.place = place;
        this.address = address;
        list = writtenTo instanceof SimulatedMemberList simulated ? simulated : null;
        if (list != null) {
            list.isAt(place);
        }
        node = MemoryNode.create(
                new LifeSettings(cluster.options(), world).of(as, number > 1),
                clock::now,
                (delay, task) -> world.after(clock.virtual(delay), place, task),
                world.randomSource(),
                null,
                writtenTo,
                term);
        memory = new WatchedRegion(node.region(), node.layout(), observer);
        names = new RecordNames(as);
        kept = new PositionsInTrust(cluster, this, observer);
        node.use(kept);
        holds = new RestoredHolds(
                world,
                () -> cluster.listAt(node),
                (record, exclusiveBySession) -> observer.restored(this, record, exclusiveBySession));
    }

    SimulatedWorld.Place place() {
        return place;
    }

    boolean isAlive() {
        return place.isAlive();
    }

    String address() {
        return address;
    }

    MemoryNode node() {
        return node;
    }

    WatchedRegion memory() {
        return memory;
    }

    int number() {
        return number;
    }

    /** Returns a key for one of its records that differs from the keys of all other memory nodes' records. */
    long keyOf(long record) {
        return key << 40 | record;
    }

    /** Returns whether it lets compute nodes join, or did. */
    boolean serves() {
        return node.status().servesIn().isZero() && node.status().graceLeft().isZero();
    }

    // ---------------------------------------------------------------- its end

    /** It dies; some of the compute nodes see their connection break. */
    void die() {
        place.die();
        if (list != null) {
            list.dies();
        }
        sessions.forEach(session -> session.lostMemoryNode(world.chance(0.7)));
        unanswered.forEach(caller -> caller.refused(new FabricException("connection reset")));
        observer.erased(this);
    }

    /** Its term is over, and its program goes on. */
    void depose() {
        node.depose();
    }

    // ---------------------------------------------------------------- sessions

    /** A request to join has arrived. */
    void hears(Caller caller) {
        unanswered.add(caller);
    }

    /** A request to join is answered or refused. */
    void hasAnswered(Caller caller) {
        unanswered.remove(caller);
    }

    /** A session is a member from now on. */
    void accepts(SimulatedSession session, MemoryNodeSession accepted) {
        sessions.add(session);
        accepted.awaitGrace(epoch -> holds.graceIsOver());
    }

    /** A session is no longer a member. */
    void forgets(SimulatedSession session) {
        sessions.remove(session);
        ended.add(session);
        kept.ended(session);
    }

    /** Returns the sessions that are members. */
    List<SimulatedSession> sessions() {
        return sessions;
    }

    /** Returns the sessions that ended at or after an instant. */
    List<SimulatedSession> goneSince(long instant) {
        return ended.stream().filter(session -> session.goneAt() >= instant).toList();
    }

    // ---------------------------------------------------------------- names and holds

    /** A session has restored a hold. */
    void restored(SimulatedSession session, String name, long record, boolean exclusive) {
        names.restored(record, name);
        holds.restored(session, name, record, exclusive);
    }

    /** Returns the positions that sessions have reserved. */
    PositionsInTrust inTrust() {
        return kept;
    }

    /** Returns the holds that were restored. */
    RestoredHolds holds() {
        return holds;
    }

    /** A list was published. */
    void listChanges(NodeList newest) {
        names.listChanges(newest);
    }

    /** Returns whether a record's name has moved to another memory node. */
    boolean isForeign(long record) {
        return names.isForeign(record);
    }

    void resolve(MemoryNodeSession asking, String name, boolean create, ResolveAnswer answer) {
        asking.resolve(name.getBytes(StandardCharsets.UTF_8), create, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                if (resolution != null) {
                    becomes(name, resolution.record());
                }
                answer.resolved(resolution);
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                answer.refused(refusal);
            }
        });
    }

    private void becomes(String name, long record) {
        if (names.resolved(record, name, cluster.list())) {
            holds.passesOn(record);
            kept.passesOn(record);
        }
        age(record);
        observer.resolved(this, record);
    }

    /** Makes a fresh record one that has been used nearly up to the end of its index range, if the options say so. */
    private void age(long record) {
        int left = cluster.options().cluster().indicesLeft();
        if (left >= 0 && aged.add(record)) {
            long header = memory.peek(record);
            RecordLayout layout = new RecordLayout(cluster.options().cluster().capacity());
            int end = layout.indexLimit() + RecordLayout.GUARD;
            memory.poke(record, LockHeader.pack(LockHeader.epoch(header), end - left, 0, 0));
        }
    }
}
