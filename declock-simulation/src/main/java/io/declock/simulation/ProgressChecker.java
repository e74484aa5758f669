// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks that no waiter is lost: once faults have stopped, every request ends within a bound. */
final class ProgressChecker {
    /** Progress must not depend on a suspicion slower than this. */
    private static final long SLOWEST_SUSPICION = 100_000_000L;

    /** How often a memory node whose records are scarce looks for idle ones. */
    private static final long PRESSED_INTERVAL = 1_000_000_000L / MemoryNodeClock.PACE;

    /** The longest pause after a refusal that lasts. */
    private static final long LONGEST_PAUSE_AFTER_REFUSAL = 8_000_000_000L;

    /** Twice the longest pause between two attempts to join. */
    private static final long LONGEST_PAUSE_BETWEEN_JOINS = 4_000_000_000L;

    private final SimulationOptions options;
    private final Map<SimulatedClient, Long> waitingSince = new LinkedHashMap<>();
    private final Map<SimulatedClient, Long> tryingSince = new LinkedHashMap<>();

    ProgressChecker(SimulationOptions options) {
        this.options = options;
    }

    void waits(SimulatedClient client, long now) {
        waitingSince.put(client, now);
    }

    void ends(SimulatedClient client) {
        waitingSince.remove(client);
    }

    /** A client begins to try, or continues. */
    void tries(SimulatedClient client, long now) {
        tryingSince.putIfAbsent(client, now);
    }

    /** One of a client's tries was granted. */
    void gets(SimulatedClient client) {
        tryingSince.remove(client);
    }

    /** Returns how long a wait may take after faults have stopped: detection, questions and resets, and the turns of all other callers. */
    long bound() {
        SimulationOptions.Cluster cluster = options.cluster();
        SimulationOptions.Workload workload = options.workload();
        long detection = 4 * (cluster.lease() + cluster.leaseMargin());
        long protocol =
                40 * Math.min(SLOWEST_SUSPICION, options.cql().suspectAfter().toNanos())
                        + 400 * options.cql().selfCheckInterval().toNanos();
        long travel = 2_000
                * (options.network().oneWay()
                        + options.network().jitter()
                        + options.network().spike());
        long outages = outages(cluster.computeNodes());
        long turns = 8L
                * cluster.computeNodes()
                * cluster.clientsPerNode()
                * (workload.hold() + workload.think() + 4 * options.minimums().mean());
        return outages + detection + protocol + travel + turns * (workload.nestShare() > 0 ? 1 + cluster.locks() : 1);
    }

    /** Time that outages may still cost after their end: the pause before the next attempt to join, and a slow memory node. */
    private long outages(int computeNodes) {
        SimulationOptions.Outages outages = options.outages();
        long verbs = 2_000L * computeNodes * (outages.verbNanos() + outages.atomicNanos());
        // A new process in place of one that died may have to wait for its node id.
        int breaks = options.rare().disconnects() + options.rare().resumptions();
        boolean rejoins = options.elections().candidates() > 0 || outages.restarts() > 0 || breaks > 0 || diesAny();
        SimulationOptions.Wiring wiring = options.wiring();
        long refused = wiring.otherIds() + wiring.overlaps() > 0 ? LONGEST_PAUSE_AFTER_REFUSAL : 0;
        long scarce = 20 * (wiring.reclaimInterval() + PRESSED_INTERVAL);
        return verbs
                + refused
                + (wiring.records() > 0 ? scarce : 0)
                + (rejoins ? LONGEST_PAUSE_BETWEEN_JOINS : 0)
                + 8 * options.elections().lease()
                + clocks();
    }

    private boolean diesAny() {
        return options.faults().kills()
                        + options.outages().deathsInSync()
                        + options.rare().deathsInReset()
                > 0;
    }

    /** Time for clocks that went back: they must reach their former value again before anything measured by them is due. */
    private long clocks() {
        SimulationOptions.Rare rare = options.rare();
        return 8L * rare.brokenClocks() * rare.brokenClock();
    }

    /** Checks that no client of a process that closes waits any more. */
    void checkClosing(SimulatedComputeNode node) {
        for (SimulatedClient client : waitingSince.keySet()) {
            if (client.node() == node) {
                throw new Violation("drain", client + " still waits although its process closes; " + describe());
            }
        }
    }

    /** Checks whether a client has waited for too long. */
    void check(long now) {
        check(waitingSince, "waited", now);
        check(tryingSince, "only tried", now);
    }

    private void check(Map<SimulatedClient, Long> since, String what, long now) {
        long from = options.faults().until();
        since.entrySet().removeIf(entry -> !entry.getKey().node().isAlive());
        for (Map.Entry<SimulatedClient, Long> entry : since.entrySet()) {
            if (now - Math.max(entry.getValue(), from) > bound()) {
                throw new Violation(
                        "progress", entry.getKey() + " has " + what + " since " + entry.getValue() + "; " + describe());
            }
        }
    }

    private String describe() {
        List<String> waiting = new ArrayList<>();
        waitingSince.forEach((client, since) -> waiting.add(client + " since " + since + " for " + client.wants()));
        return String.join("; ", waiting);
    }
}
