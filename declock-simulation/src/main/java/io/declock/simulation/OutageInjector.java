// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.local.LocalLock;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.ResetReason;
import java.util.List;
import java.util.function.BiConsumer;

/** Restarts and pauses the memory node, partitions compute nodes, moves clocks; at instants drawn from the seed, until the options' end. */
final class OutageInjector {
    /** Maximum jump of the memory node's clock. */
    private static final long FAR = 60_000_000_000L;

    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulationOptions.Outages outages;
    private final long until;
    private final BiConsumer<String, String> startProcess;

    OutageInjector(SimulatedCluster cluster, BiConsumer<String, String> startProcess) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.outages = cluster.options().outages();
        this.until = cluster.options().faults().until();
        this.startProcess = startProcess;
    }

    void schedule() {
        atSomeTimes(outages.restarts(), this::restartMemoryNode);
        atSomeTimes(outages.memoryNodePauses(), this::pauseMemoryNode);
        atSomeTimes(outages.partitions(), this::part);
        atSomeTimes(outages.jumps(), this::jump);
        atSomeTimes(outages.deathsInSync(), this::dieInSync);
        atSomeTimes(cluster.options().elections().engineCuts(), this::cutEngine);
        atSomeTimes(cluster.options().elections().resignations(), this::resign);
    }

    private void atSomeTimes(int times, Runnable outage) {
        for (int i = 0; i < times; i++) {
            world.at(world.below(Math.max(1, until)), null, outage);
        }
    }

    private long end(long mean) {
        return Math.min(until, world.now() + 1 + world.exponential(mean));
    }

    private List<SimulatedComputeNode> alive() {
        return cluster.nodes().stream().filter(SimulatedComputeNode::isAlive).toList();
    }

    private <T> T oneOf(List<T> all) {
        return all.get((int) world.below(all.size()));
    }

    // ---------------------------------------------------------------- the memory node

    private void restartMemoryNode() {
        SimulatedMemoryNode victim = cluster.someMemoryNode();
        if (!victim.candidates().isEmpty()) {
            victim.candidates().restart(victim.candidates().some(), true, end(outages.down()));
        } else if (victim.isUp()) {
            victim.restart(end(outages.down()));
        }
    }

    private void pauseMemoryNode() {
        long end = end(outages.memoryNodePause());
        SimulatedMemoryNode victim = cluster.someMemoryNode();
        if (!victim.candidates().isEmpty()) {
            victim.candidates().some().pauseUntil(end);
            return;
        }
        world.note(() -> "the memory node pauses until " + end);
        victim.place().pauseUntil(end);
    }

    private void resign() {
        SimulatedMemoryNode victim = cluster.someMemoryNode();
        victim.candidates().restart(victim.candidates().some(), false, end(outages.down()));
    }

    /** All candidates, or one, cannot reach the engine, or each other; each until an instant of its own. */
    private void cutEngine() {
        SimulatedCandidates candidates = cluster.someMemoryNode().candidates();
        boolean there = world.chance(0.8);
        boolean back = !there || world.chance(0.7);
        boolean all = world.chance(0.7);
        boolean apart = world.chance(0.2);
        for (SimulatedCandidate candidate : all ? candidates.all() : List.of(candidates.some())) {
            long end = end(cluster.options().elections().engineCut());
            candidate.cutFromEngine(there, back, end);
            if (apart) {
                candidate.part(end);
            }
        }
    }

    // ---------------------------------------------------------------- partitions

    /** Cuts one compute node off from another, from all others, or from all others and from the memory node, in one direction or both. */
    private void part() {
        SimulatedComputeNode victim = oneOf(alive());
        boolean brief = world.chance(0.5);
        long end = end(brief ? aReset() : outages.partition());
        long noticed = world.chance(0.5) ? world.now() : world.now() + world.below(end - world.now() + 1);
        if (brief || world.chance(0.5)) {
            resetSomething();
        }
        List<SimulatedComputeNode> others =
                alive().stream().filter(node -> node != victim).toList();
        if (others.isEmpty()) {
            return;
        }
        int shape = (int) world.below(5);
        boolean there = world.chance(0.8);
        boolean back = !there || world.chance(0.5);
        world.note(() -> victim + " is parted until " + end + ", shape " + shape + (there ? " there" : "")
                + (back ? " back" : "") + ", noticed at " + noticed);
        for (SimulatedComputeNode other : shape < 2 ? List.of(oneOf(others)) : others) {
            if (there) {
                cluster.cutPeers(victim.peerAddress(), other.peerAddress(), noticed, end);
            }
            if (back) {
                cluster.cutPeers(other.peerAddress(), victim.peerAddress(), noticed, end);
            }
        }
        if (shape == 3) {
            victim.cutOff(there, !there, end);
        } else if (shape == 4) {
            flicker(victim, end);
        }
    }

    /** Requests arrive and answers do not; then for a moment it is the other way round; then messages pass in neither direction. */
    private void flicker(SimulatedComputeNode victim, long end) {
        long heardAgain = world.now() + world.below(end - world.now() + 1);
        victim.cutOff(false, true, heardAgain);
        long deafAgain = heardAgain + 2 * aReset();
        world.at(deafAgain, null, () -> victim.cutOff(false, true, end));
        world.at(world.now() + world.below(heardAgain - world.now() + 1), null, () -> victim.cutOff(true, false, end));
    }

    /** Approximate duration of a reset. */
    private long aReset() {
        SimulationOptions.Network network = cluster.options().network();
        return 10 * (network.oneWay() + network.jitter()) + 4 * network.peerOneWay();
    }

    private void resetSomething() {
        SimulatedComputeNode initiator = oneOf(alive());
        List<LocalLock> locks = initiator.snapshot();
        if (!locks.isEmpty()) {
            LocalLock lock = oneOf(locks);
            world.after(0, initiator, () -> {
                CqlLock remote = lock.remote();
                if (remote != null) {
                    world.note(() -> initiator + " asks for a reset of " + lock);
                    initiator.forceReset(remote, ResetReason.OVERFLOW);
                }
            });
        }
    }

    // ---------------------------------------------------------------- clocks

    private void jump() {
        if (world.chance(0.3)) {
            cluster.someMemoryNode().jump(world.below(2 * FAR) - FAR);
            return;
        }
        // Back only by an amount that the margins of the lease cover: no lease survives a clock that stands still for
        // longer.
        long lease = cluster.options().cluster().lease();
        oneOf(alive()).jump(world.chance(0.7) ? world.exponential(lease) : -world.below(lease / 25));
    }

    private void dieInSync() {
        SimulatedComputeNode victim = oneOf(alive());
        victim.whenAskingForTheTime(() -> {
            SimulationOptions.Network network = cluster.options().network();
            world.after(world.below(2 * (network.oneWay() + network.jitter()) + 1), null, () -> dieNow(victim));
        });
    }

    private void dieNow(SimulatedComputeNode victim) {
        if (world.now() >= until || !victim.isAlive() || alive().size() < 2) {
            return;
        }
        cluster.kill(victim);
        long down = world.exponential(cluster.options().cluster().lease());
        world.after(down, null, () -> startProcess.accept(victim + "+", victim.peerAddress()));
    }
}
