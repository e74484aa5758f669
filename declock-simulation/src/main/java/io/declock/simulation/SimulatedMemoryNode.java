// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.Term;
import io.declock.spi.VerbChain;
import org.jspecify.annotations.Nullable;

/** The address of a memory node, and which of its lives is behind it. What outlives a life is here: the disk, the clock, the NIC. */
final class SimulatedMemoryNode implements SimulatedCandidate.Lives {
    private static final String ADDRESS = "10.0.0.1:7420";
    private static final String SECOND_ADDRESS = "10.0.0.2:7420";

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final String id;
    private final WatchedRegion.Observer observer;
    private final MemoryNodeClock clock;
    private final SimulatedCandidates candidates;
    private final SimulatedMemberList.Disk disk = new SimulatedMemberList.Disk();
    private SimulatedNic nic = SimulatedNic.infinitelyFast();
    private long atomicLatency;
    /** How many words a READ of a whole record carries, or zero for as many as it has. */
    private long queueReadWords;

    private int lives;
    private int lastThatServed;
    private MemoryNodeLife life;
    /** Another memory node of the same id behind the same address, or null. */
    private @Nullable MemoryNodeLife second;

    SimulatedMemoryNode(SimulatedCluster cluster, String id, WatchedRegion.Observer observer) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.id = id;
        this.observer = observer;
        this.clock = new MemoryNodeClock(cluster);
        this.candidates = new SimulatedCandidates(cluster);
        this.life = begin(id, ADDRESS);
        if (cluster.options().elections().candidates() > 0) {
            // Nobody has been elected yet: it is as if it had died.
            life.place().die();
            candidates.start(id, this);
        }
    }

    // ---------------------------------------------------------------- its lives

    /** A life without a term begins, with the list of members on the disk if the options say so. */
    private MemoryNodeLife begin(String as, String address) {
        boolean listed = cluster.options().outages().listed();
        return begin(as, address, Term.UNLIMITED, listed ? new SimulatedMemberList(cluster, disk) : MemberList.NONE);
    }

    private MemoryNodeLife begin(String as, String address, Term term, MemberList list) {
        int number = ++lives;
        SimulatedWorld.Place place = new SimulatedWorld.Place(id + " in life " + number);
        MemoryNodeLife begun = new MemoryNodeLife(cluster, clock, observer, number, place, as, address, term, list);
        begun.node().predecessors().askThrough(new SimulatedProbe(cluster, place, this::lifeAt));
        return begun;
    }

    private @Nullable MemoryNodeLife lifeAt(String address) {
        if (life.isAlive() && life.address().equals(address)) {
            return life;
        }
        MemoryNodeLife other = second;
        return other != null && other.address().equals(address) ? other : null;
    }

    /** Returns its present life. */
    MemoryNodeLife life() {
        return life;
    }

    /** Returns the life that one more connection to the address reaches. */
    MemoryNodeLife someLife() {
        MemoryNodeLife other = second;
        return other != null && world.chance(0.5) ? other : life;
    }

    /** Returns the place of its present life, or of its last one while it is down. */
    SimulatedWorld.Place place() {
        return life.place();
    }

    boolean isUp() {
        return life.isAlive() && second == null;
    }

    boolean hasAnotherId() {
        return !life.node().id().equals(id);
    }

    /** Returns whether a compute node has an open session in its present life. */
    boolean hasJoined(SimulatedComputeNode node) {
        return life.sessions().stream().anyMatch(session -> session.node() == node && session.isOpen());
    }

    /** Returns whether it has served in a later life than that one. */
    boolean hasServedAfter(MemoryNodeLife former) {
        return lastThatServed > former.number() || life.number() > former.number() && life.serves();
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
            lastThatServed = life.number();
        }
        life.die();
        world.at(backAt, null, () -> comeBack(nextId));
    }

    private void comeBack(String as) {
        if (!life.isAlive()) {
            world.note(() -> as + " is back");
            life = begin(as, ADDRESS);
        }
    }

    /** Until an instant a second memory node of its id lives behind its address; then one of the two dies. */
    void overlap(long end) {
        world.note(() -> "a second " + id + " begins, and lives beside the first until " + end);
        MemoryNodeLife other = begin(id, life.address().equals(ADDRESS) ? SECOND_ADDRESS : ADDRESS);
        second = other;
        world.at(end, null, () -> {
            boolean firstEnds = world.chance(0.7);
            world.note(() -> "the " + (firstEnds ? "first " : "second ") + id + " dies");
            MemoryNodeLife ending = firstEnds ? life : other;
            ending.die();
            life = firstEnds ? other : life;
            second = null;
        });
    }

    /** Moves the clock that it reports. */
    void jump(long by) {
        world.note(() -> "the clock of " + id + " jumps by " + by);
        clock.jump(by);
    }

    // ---------------------------------------------------------------- its candidates

    SimulatedCandidates candidates() {
        return candidates;
    }

    @Override
    public MemoryNodeLife begins(SimulatedCandidate by, Term term, MemberList list) {
        if (life.serves()) {
            lastThatServed = life.number();
        }
        life = begin(id, by.address(), term, list);
        MemoryNodeLife begun = life;
        world.note(() -> by.place() + " begins to serve " + begun.place());
        return begun;
    }

    @Override
    public void ends(MemoryNodeLife ending) {
        if (ending.serves()) {
            lastThatServed = Math.max(lastThatServed, ending.number());
        }
        ending.die();
    }

    // ---------------------------------------------------------------- what outlives a life

    MemoryNodeClock clock() {
        return clock;
    }

    SimulatedNic nic() {
        return nic;
    }

    void use(SimulatedNic other) {
        nic = other;
    }

    /** Has it and its results be as a model says. */
    void use(AdapterModel model) {
        nic = new SimulatedNic(model.memoryNode());
        atomicLatency = model.atomicLatency();
    }

    /** Has a READ of a whole record carry another number of words than it has. */
    void queueReadsCarry(long words) {
        queueReadWords = words;
    }

    /** Returns how many bytes the results of a chain have on the way. */
    long resultBytes(VerbChain chain) {
        long bytes = SimulatedNic.resultBytes(chain);
        if (queueReadWords > 0) {
            int record = life.node().layout().words();
            for (int i = 0; i < chain.size(); i++) {
                if (chain.verb(i) == Verb.READ && chain.words(i) == record) {
                    bytes += (queueReadWords - record) * Long.BYTES;
                }
            }
        }
        return bytes;
    }

    /** Returns by how much the results of a chain with an atomic are late. */
    long atomicLatency() {
        return atomicLatency;
    }

    @Override
    public String toString() {
        return id;
    }
}
