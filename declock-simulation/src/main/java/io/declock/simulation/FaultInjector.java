// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.local.LocalLock;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.ResetReason;
import java.util.List;
import java.util.function.BiConsumer;

/** Injects faults at instants drawn from the seed, until the instant that the options set. */
final class FaultInjector {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulationOptions.Faults faults;
    private final BiConsumer<String, String> startProcess;

    FaultInjector(SimulatedCluster cluster, BiConsumer<String, String> startProcess) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.faults = cluster.options().faults();
        this.startProcess = startProcess;
    }

    void schedule() {
        for (int i = 0; i < faults.kills(); i++) {
            atSomeTime(this::kill);
        }
        for (int i = 0; i < faults.pauses(); i++) {
            atSomeTime(this::pause);
        }
        for (int i = 0; i < faults.cuts(); i++) {
            atSomeTime(this::cutOff);
        }
        for (int i = 0; i < faults.forcedResets(); i++) {
            atSomeTime(this::forceReset);
        }
        world.at(faults.until(), null, cluster::stopLosing);
    }

    private void atSomeTime(Runnable fault) {
        world.at(world.below(Math.max(1, faults.until())), null, fault);
    }

    private List<SimulatedComputeNode> alive() {
        return cluster.nodes().stream().filter(SimulatedComputeNode::isAlive).toList();
    }

    private SimulatedComputeNode someone() {
        List<SimulatedComputeNode> alive = alive();
        return alive.get((int) world.below(alive.size()));
    }

    private void kill() {
        if (alive().size() < 2) {
            return;
        }
        SimulatedComputeNode victim = someone();
        cluster.kill(victim);
        if (faults.restart()) {
            long down = world.exponential(cluster.options().cluster().lease());
            world.after(down, null, () -> startProcess.accept(victim + "+", victim.peerAddress()));
        }
    }

    private void pause() {
        SimulatedComputeNode victim = someone();
        long end = Math.min(faults.until(), world.now() + 1 + world.exponential(faults.pause()));
        world.note(() -> victim + " pauses until " + end);
        victim.pauseUntil(end);
    }

    private void cutOff() {
        SimulatedComputeNode victim = someone();
        long end = Math.min(faults.until(), world.now() + 1 + world.exponential(faults.cut()));
        boolean sending = world.chance(0.7);
        boolean receiving = !sending || world.chance(0.5);
        world.note(() ->
                victim + " is cut off until " + end + (sending ? " sending" : "") + (receiving ? " receiving" : ""));
        victim.cutOff(sending, receiving, end);
    }

    private void forceReset() {
        SimulatedComputeNode initiator = someone();
        List<LocalLock> locks = initiator.snapshot();
        if (locks.isEmpty()) {
            return;
        }
        LocalLock lock = locks.get((int) world.below(locks.size()));
        world.after(0, initiator, () -> {
            CqlLock remote = lock.remote();
            if (remote != null) {
                world.note(() -> initiator + " asks for a reset of " + lock);
                initiator.forceReset(remote, ResetReason.OVERFLOW);
            }
        });
    }
}
