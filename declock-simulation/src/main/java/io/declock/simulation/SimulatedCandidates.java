// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.ArrayList;
import java.util.List;

/** The candidates of a memory node, none if it has no stand-bys: starts their programs, ends them, and chooses one for a fault. */
final class SimulatedCandidates {
    private static final int ENGINE_DRIFT_PPM = 10_000;

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final List<SimulatedCandidate> all = new ArrayList<>();

    SimulatedCandidates(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.world = cluster.world();
    }

    /**
     * Makes as many as the options say, with an engine of their own; each starts after a while.
     *
     * @param memoryNode id of the memory node
     * @param lives what a candidate does that is elected
     */
    void start(String memoryNode, SimulatedCandidate.Lives lives) {
        SimulatedEngine engine = new SimulatedEngine(cluster, memoryNode, world.between(0, ENGINE_DRIFT_PPM));
        for (int i = 0; i < cluster.options().elections().candidates(); i++) {
            all.add(new SimulatedCandidate(cluster, memoryNode, memoryNode + "-" + i, engine, lives, this::at));
        }
        all.forEach(candidate -> world.after(
                world.below(cluster.options().elections().lease()), null, () -> candidate.start(addresses())));
    }

    private List<String> addresses() {
        return all.stream().map(SimulatedCandidate::address).toList();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    List<SimulatedCandidate> all() {
        return all;
    }

    private SimulatedCandidate at(String address) {
        return all.stream()
                .filter(candidate -> candidate.address().equals(address))
                .findFirst()
                .orElseThrow();
    }

    /** Returns one of them, mostly the one that serves. */
    SimulatedCandidate some() {
        if (world.chance(0.7)) {
            for (SimulatedCandidate candidate : all) {
                if (candidate.serves()) {
                    return candidate;
                }
            }
        }
        return all.get((int) world.below(all.size()));
    }

    /** A candidate's program dies, or is told to end, and starts again at that instant. */
    void restart(SimulatedCandidate victim, boolean kills, long backAt) {
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
}
