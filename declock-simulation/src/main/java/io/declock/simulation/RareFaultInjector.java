// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.local.LocalLock;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.ResetReason;
import java.util.List;
import java.util.function.BiConsumer;

/** Breaks clocks and connections, and kills initiators of resets; at instants drawn from the seed, until the options' end. */
final class RareFaultInjector {
    private final SimulatedCluster cluster;
    private final SimulatedWorld world;
    private final SimulationOptions.Rare rare;
    private final long until;
    private final BiConsumer<String, String> startProcess;

    RareFaultInjector(SimulatedCluster cluster, BiConsumer<String, String> startProcess) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.rare = cluster.options().rare();
        this.until = cluster.options().faults().until();
        this.startProcess = startProcess;
    }

    void schedule() {
        atSomeTimes(rare.brokenClocks(), this::breakClock);
        atSomeTimes(rare.deathsInReset(), this::dieInReset);
        atSomeTimes(rare.disconnects(), this::disconnect);
        atSomeTimes(rare.resumptions(), this::breakForAWhile);
    }

    private void atSomeTimes(int times, Runnable fault) {
        for (int i = 0; i < times; i++) {
            world.at(world.below(Math.max(1, until)), null, fault);
        }
    }

    private List<SimulatedComputeNode> alive() {
        return cluster.nodes().stream().filter(SimulatedComputeNode::isAlive).toList();
    }

    private SimulatedComputeNode someone() {
        List<SimulatedComputeNode> alive = alive();
        return alive.get((int) world.below(alive.size()));
    }

    // ---------------------------------------------------------------- connections

    /** Breaks a connection; either side may notice first, and the process may have joined again before the memory node has noticed. */
    private void disconnect() {
        SimulatedComputeNode victim = someone();
        List<SimulatedSession> sessions = victim.sessions();
        if (sessions.isEmpty()) {
            return;
        }
        SimulatedSession session =
                sessions.size() == 1 ? sessions.get(0) : sessions.get((int) world.below(sessions.size()));
        world.note(() -> "the connection of " + session + " breaks");
        if (world.chance(0.5)) {
            long noticed = world.below(10 * cluster.options().network().oneWay());
            world.after(0, victim, () -> session.connectionBreaks(noticed));
        } else {
            session.disconnectedAt(world.now());
        }
    }

    private void breakForAWhile() {
        List<SimulatedSession> sessions = someone().sessions();
        if (sessions.isEmpty()) {
            return;
        }
        SimulatedSession session = sessions.get((int) world.below(sessions.size()));
        if (world.chance(0.5)) {
            breakForAWhile(session);
        } else {
            // While chains are in flight.
            session.connections().whenUsed(() -> breakSoon(session));
        }
    }

    private void breakSoon(SimulatedSession session) {
        long soon = world.below(4 * cluster.options().network().oneWay());
        world.after(soon, null, () -> breakForAWhile(session));
    }

    /**
     * Breaks a connection whose session goes on with another one. Either side may notice first, the memory node perhaps not before the next
     * connection arrives; it may be out of reach for a while, also until the lease is over. The next connection may break while the session
     * is being resumed, or right after that.
     */
    private void breakForAWhile(SimulatedSession session) {
        long now = world.now();
        if (now >= until || session.isClosed()) {
            return;
        }
        long lease = cluster.options().cluster().lease();
        long reachable = now + world.oneOf(0L, 0L, world.below(lease / 4), world.exponential(lease));
        session.connections().breaks(now + noticing(lease), now + noticing(lease), Math.min(until, reachable));
        switch ((int) world.below(5)) {
            case 0 -> session.connections().whenResumed(() -> breakSoon(session));
            case 1 -> world.after(world.below(lease / 4), null, () -> breakForAWhile(session));
            default -> {}
        }
    }

    private long noticing(long lease) {
        long soon = 10 * cluster.options().network().oneWay();
        return world.below(world.chance(0.2) ? lease / 2 : soon);
    }

    // ---------------------------------------------------------------- clocks

    /** Stops a clock or sets it back, mostly while the memory node gets no messages of that node and lets its lease expire. */
    private void breakClock() {
        SimulatedComputeNode victim = someone();
        victim.doubtClock();
        long end = Math.min(until, world.now() + 1 + world.exponential(rare.brokenClock()));
        switch ((int) world.below(4)) {
            case 0 -> {
                // As in a suspended virtual machine: nothing runs, and afterwards no process on it knows of the pause.
                victim.stopClock(end);
                victim.pauseUntil(end);
            }
            case 1 -> {
                victim.stopClock(end);
                loseTouch(victim, end);
            }
            case 2 -> {
                loseTouch(victim, end);
                world.at(
                        world.now() + world.below(end - world.now()),
                        null,
                        () -> victim.jump(-world.exponential(rare.brokenClock())));
            }
            default -> {
                // Forward and back: a thread that checked the lease meanwhile found it lapsed.
                long by = world.exponential(rare.brokenClock());
                victim.jump(by);
                world.at(end, null, () -> victim.jump(-by));
            }
        }
    }

    private void loseTouch(SimulatedComputeNode victim, long end) {
        boolean sending = world.chance(0.8);
        boolean receiving = !sending || world.chance(0.7);
        world.note(() ->
                victim + " loses touch until " + end + (sending ? " sending" : "") + (receiving ? " receiving" : ""));
        victim.cutOff(sending, receiving, end);
    }

    // ---------------------------------------------------------------- resets

    /** A compute node begins a reset and dies in it; the memory node knows at once, and another process takes its place. */
    private void dieInReset() {
        SimulatedComputeNode victim = someone();
        List<LocalLock> locks = victim.snapshot();
        if (locks.isEmpty()) {
            return;
        }
        LocalLock lock = locks.get((int) world.below(locks.size()));
        world.after(0, victim, () -> {
            CqlLock remote = lock.remote();
            if (remote != null) {
                world.note(() -> victim + " asks for a reset of " + lock + " and is about to die");
                victim.forceReset(remote, ResetReason.OVERFLOW);
            }
        });
        SimulationOptions.Network network = cluster.options().network();
        world.after(world.below(8 * network.oneWay()), null, () -> die(victim));
    }

    private void die(SimulatedComputeNode victim) {
        if (world.now() >= until || !victim.isAlive() || alive().size() < 2) {
            return;
        }
        cluster.killAndCut(victim);
        long down = world.below(20 * cluster.options().network().oneWay());
        world.after(down, null, () -> startProcess.accept(victim + "+", victim.peerAddress()));
    }
}
