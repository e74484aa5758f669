// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static java.util.Objects.requireNonNull;

import io.declock.internal.election.Candidacy;
import io.declock.internal.election.Standing.Role;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.Term;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One candidate of a memory node: a place with one program after the other, each with a real candidacy and a clock that drifts. */
final class SimulatedCandidate implements Candidacy.Host, Candidacy.Peers {
    private static final long PPM = 1_000_000;
    private static final int MOST_DRIFT_PPM = 10_000;

    /** What becomes of the memory node with a candidate. */
    interface Lives {
        /** A candidate begins to serve: a life with empty memory begins. */
        MemoryNodeLife begins(SimulatedCandidate by, Term term, MemberList list);

        /** A candidate serves no longer, or is dead. */
        void ends(MemoryNodeLife ending);
    }

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final String memoryNode;
    private final String address;
    private final SimulatedEngine engine;
    private final Lives lives;
    private final Function<String, SimulatedCandidate> byAddress;
    private final int driftPpm;
    private SimulatedWorld.Place place = new SimulatedWorld.Place("nowhere");
    private @Nullable MemoryNodeLife life;
    private @Nullable Candidacy candidacy;
    private final Set<Runnable> whenDead = new LinkedHashSet<>();
    private int programs;
    private long cannotReachUntil;
    private long cannotHearUntil;
    private long apartUntil;

    /**
     * Makes one without a program.
     *
     * @param memoryNode id of the memory node
     * @param byAddress finds the candidates of the same memory node
     */
    SimulatedCandidate(
            SimulatedCluster cluster,
            String memoryNode,
            String address,
            SimulatedEngine engine,
            Lives lives,
            Function<String, SimulatedCandidate> byAddress) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.memoryNode = memoryNode;
        this.address = address;
        this.engine = engine;
        this.lives = lives;
        this.byAddress = byAddress;
        this.driftPpm = world.oneOf(0, world.between(-MOST_DRIFT_PPM, MOST_DRIFT_PPM));
    }

    String address() {
        return address;
    }

    /** Returns the place of its present program, or of its last one. */
    SimulatedWorld.Place place() {
        return place;
    }

    boolean isAlive() {
        return place.isAlive() && programs > 0;
    }

    /** Returns the life of the memory node that it serves, or null if it stands by. */
    @Nullable
    MemoryNodeLife life() {
        return life;
    }

    boolean serves() {
        Candidacy present = candidacy;
        return isAlive() && present != null && present.standing().role() == Role.SERVING;
    }

    // ---------------------------------------------------------------- its programs

    /** Its program starts, unless it runs already. */
    void start(List<String> candidates) {
        if (isAlive()) {
            return;
        }
        SimulatedWorld.Place at = new SimulatedWorld.Place(address + " in program " + ++programs);
        place = at;
        long origin = world.below(1L << 40);
        Candidacy fresh = new Candidacy(
                new Candidacy.Settings(
                        memoryNode,
                        address,
                        candidates,
                        Duration.ofNanos(cluster.options().elections().lease())),
                engine.client(this),
                this,
                this,
                () -> origin + world.now() + world.now() * driftPpm / PPM,
                (delay, task) -> world.after(1 + delay * PPM / (PPM + driftPpm), at, task),
                task -> world.after(1, at, task));
        candidacy = fresh;
        world.note(() -> at + " starts");
        fresh.start();
    }

    /** Its program dies. */
    void die() {
        world.note(() -> place + " dies");
        place.die();
        endLife();
        List<Runnable> told = List.copyOf(whenDead);
        whenDead.clear();
        told.forEach(Runnable::run);
    }

    /** Sets an action that runs when its program dies. */
    void whenDead(Runnable action) {
        whenDead.add(action);
    }

    void notWhenDead(Runnable action) {
        whenDead.remove(action);
    }

    /** Its program is told to end. */
    void terminate() {
        world.note(() -> place + " is told to end");
        Candidacy ending = requireNonNull(candidacy);
        world.after(0, place, ending::close);
    }

    /** It stands still, and so does the memory node that it serves. */
    void pauseUntil(long end) {
        world.note(() -> place + " pauses until " + end);
        place.pauseUntil(end);
        MemoryNodeLife present = life;
        if (present != null) {
            present.place().pauseUntil(end);
        }
    }

    private void endLife() {
        MemoryNodeLife ending = life;
        life = null;
        if (ending != null) {
            lives.ends(ending);
        }
    }

    // ---------------------------------------------------------------- as its candidacy says

    @Override
    public void serve(Term term, MemberList list) {
        life = lives.begins(this, term, list);
    }

    @Override
    public void standBy() {
        MemoryNodeLife ending = life;
        if (ending != null) {
            world.note(() -> place + " stands by");
            ending.depose();
        }
        endLife();
    }

    // ---------------------------------------------------------------- what it reaches

    /** What it sends to the engine until an instant is lost, or what the engine sends to it, or both. */
    void cutFromEngine(boolean there, boolean back, long end) {
        world.note(() -> address + " is cut off from the engine until " + end);
        cannotReachUntil = there ? end : cannotReachUntil;
        cannotHearUntil = back ? end : cannotHearUntil;
    }

    /** What passes between it and other candidates until an instant is lost. */
    void part(long end) {
        world.note(() -> address + " is cut off from the other candidates until " + end);
        apartUntil = end;
    }

    boolean reachesEngine() {
        return world.now() >= cannotReachUntil;
    }

    boolean hearsEngine() {
        return world.now() >= cannotHearUntil;
    }

    private long travel() {
        return 1 + world.below(4 * cluster.options().network().oneWay());
    }

    private boolean losesTo(SimulatedCandidate other) {
        return world.now() < apartUntil || world.now() < other.apartUntil;
    }

    @Override
    public void askToPromise(List<String> others, long term, long nanos, Runnable all) {
        SimulatedWorld.Place asking = place;
        int[] missing = {others.size()};
        for (String other : others) {
            SimulatedCandidate asked = byAddress.apply(other);
            if (losesTo(asked) || !asked.isAlive()) {
                continue;
            }
            world.after(travel(), asked.place, () -> {
                boolean promises = requireNonNull(asked.candidacy).promise(term, nanos);
                world.note(() -> asked.place + (promises ? " promises " : " does not promise ") + address
                        + " not to be elected");
                if (promises && !losesTo(asked)) {
                    world.after(travel(), asking, () -> {
                        if (--missing[0] == 0) {
                            all.run();
                        }
                    });
                }
            });
        }
    }

    @Override
    public String toString() {
        return address;
    }
}
