// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.List;
import java.util.function.BiConsumer;

/** Changes memory nodes, and shuts processes down, at instants drawn from the seed, until the options' end. */
final class WiringInjector {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulationOptions.Wiring wiring;
    private final long until;
    private final BiConsumer<String, String> startProcess;

    WiringInjector(SimulatedCluster cluster, BiConsumer<String, String> startProcess) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.wiring = cluster.options().wiring();
        this.until = cluster.options().faults().until();
        this.startProcess = startProcess;
    }

    void schedule() {
        atSomeTimes(wiring.otherIds(), this::comeBackUnderAnotherId);
        atSomeTimes(wiring.overlaps(), this::overlap);
        atSomeTimes(wiring.drains(), this::drain);
        atSomeTimes(wiring.listChanges(), new ListInjector(cluster)::change);
    }

    private void atSomeTimes(int times, Runnable change) {
        for (int i = 0; i < times; i++) {
            world.at(1 + world.below(until), null, change);
        }
    }

    private long end(long mean) {
        return Math.min(until, world.now() + 1 + world.exponential(mean));
    }

    /** A memory node dies and comes back under another id. Some time later it starts once more, under its own id. */
    private void comeBackUnderAnotherId() {
        SimulatedMemoryNode victim = cluster.someMemoryNode();
        if (!victim.isUp() || victim.hasAnotherId()) {
            return;
        }
        long back = end(wiring.otherId() / 8);
        victim.restart(back, victim + "-other");
        long mended = Math.max(back + 1, end(wiring.otherId()));
        world.at(mended, null, () -> victim.restart(world.now() + 1));
    }

    /**
     * A second memory node begins beside the first, as in an update that overlaps, while every process has a session with the first: only a
     * process that had one can tell the second of the first (rule C7).
     */
    private void overlap() {
        SimulatedMemoryNode victim = cluster.someMemoryNode();
        long lease = cluster.options().cluster().lease();
        if (victim.isUp() && cluster.nodes().stream().allMatch(victim::hasJoined)) {
            victim.overlap(end(2 * lease) + lease);
        }
    }

    /** A process shuts down as an application does, and another one takes its place. */
    private void drain() {
        List<SimulatedComputeNode> alive = cluster.nodes().stream()
                .filter(SimulatedComputeNode::mayShutDown)
                .toList();
        if (alive.size() < 2) {
            return;
        }
        SimulatedComputeNode victim = alive.get((int) world.below(alive.size()));
        long patience =
                world.oneOf(0L, world.exponential(cluster.options().workload().hold() * 4));
        world.note(() -> victim + " shuts down, and gives holders " + patience);
        world.after(0, victim, () -> {
            victim.shutDown(patience);
            if (!victim.isAlive()) {
                // It was killed meanwhile, and a new process may be there already.
                return;
            }
            victim.die();
            world.note(() -> victim + " has shut down");
            startProcess.accept(victim + "+", victim.peerAddress());
        });
    }
}
