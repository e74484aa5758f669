// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.simulation.OptionsChooser.Profile;

/** Draws the options of the profiles with several memory nodes, few records, changes of memory nodes, or processes that shut down. */
final class WiringChooser {
    private static final long MILLIS = 1_000_000;

    private final SimulatedWorld world;
    private final Profile profile;
    private final SimulationOptions drawn;
    private final long until;

    private WiringChooser(SimulatedWorld world, Profile profile, SimulationOptions drawn) {
        this.world = world;
        this.profile = profile;
        this.drawn = drawn;
        long lease = drawn.cluster().lease();
        boolean changes = profile == Profile.OTHER_ID || profile == Profile.OVERLAP;
        this.until = (changes ? 6 * lease : profile == Profile.LISTS ? 4 * lease : 0) + world.between(20, 120) * MILLIS;
    }

    static SimulationOptions choose(SimulatedWorld world, Profile profile, SimulationOptions drawn) {
        return new WiringChooser(world, profile, drawn).choose();
    }

    private SimulationOptions choose() {
        SimulationOptions.Workload workload = drawn.workload();
        int names = profile == Profile.RECLAIM ? world.between(6, 24) : world.between(2, 10);
        SimulationOptions.Cluster c = drawn.cluster();
        return new SimulationOptions(
                new SimulationOptions.Cluster(
                        c.computeNodes(),
                        c.clientsPerNode(),
                        names,
                        c.zipf(),
                        c.capacity(),
                        -1,
                        true,
                        c.lease(),
                        c.leaseMargin(),
                        c.heartbeat()),
                drawn.network(),
                OptionsChooser.lasting(workload, until),
                faults(),
                drawn.local(),
                drawn.cql(),
                outages(),
                new SimulationOptions.Rare(
                        0,
                        0,
                        0,
                        disconnects(),
                        profile == Profile.LISTS && world.chance(0.3) ? world.between(1, 10) : 0),
                wiring(names));
    }

    /**
     * Returns whether compute nodes may die. Where memory nodes change places they may not: a new compute node would learn the wrong id of
     * a memory node, and cannot report the memory node of an earlier session.
     */
    private boolean hasFaultsBesides() {
        return profile != Profile.OTHER_ID && profile != Profile.OVERLAP;
    }

    private int disconnects() {
        if (profile == Profile.OVERLAP) {
            return world.between(5, 30);
        }
        return hasFaultsBesides() && world.chance(0.5) ? world.between(1, 10) : 0;
    }

    private SimulationOptions.Faults faults() {
        SimulationOptions.Faults f = drawn.faults();
        boolean any = hasFaultsBesides() && world.chance(0.5);
        return new SimulationOptions.Faults(
                until,
                any ? world.between(0, 2) : 0,
                true,
                any ? world.between(0, 3) : 0,
                world.oneOf(1, 10, 40) * MILLIS,
                any ? world.between(0, 3) : 0,
                world.oneOf(1, 10, 40) * MILLIS,
                world.chance(0.3) ? world.between(1, 8) : 0,
                f.slowNodes(),
                f.driftPpm(),
                f.clockError());
    }

    private SimulationOptions.Outages outages() {
        boolean restarts = profile == Profile.SPREAD
                || profile == Profile.RECLAIM && world.chance(0.3)
                || profile == Profile.LISTS && world.chance(0.5);
        return new SimulationOptions.Outages(
                restarts ? world.between(0, 3) : 0,
                world.oneOf(1, 10, 40) * MILLIS,
                5_000,
                restarts ? world.between(0, 2) : 0,
                world.oneOf(
                        MILLIS, drawn.cluster().lease() / 2, 2 * drawn.cluster().lease()),
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                profile == Profile.LISTS);
    }

    private SimulationOptions.Wiring wiring(int names) {
        boolean reclaims = profile == Profile.RECLAIM;
        int memoryNodes = switch (profile) {
            case SPREAD -> world.between(2, 4);
            case OTHER_ID -> world.between(2, 3);
            case LISTS -> world.between(2, 4);
            default -> world.between(1, 2);
        };
        return new SimulationOptions.Wiring(
                memoryNodes,
                reclaims
                        ? Math.max(3, names * world.oneOf(1, 2, 3) / 3 / memoryNodes)
                        : profile == Profile.LISTS ? 20 * names : 0,
                reclaims || profile == Profile.LISTS ? world.oneOf(1, 5, 20) * MILLIS : 0,
                profile == Profile.OTHER_ID ? world.between(1, 2) : 0,
                world.oneOf(1, 2) * drawn.cluster().lease(),
                profile == Profile.OVERLAP ? world.between(1, 2) : 0,
                profile == Profile.DRAIN ? world.between(1, drawn.cluster().computeNodes()) : 0,
                profile == Profile.LISTS ? world.between(1, 6) : 0);
    }
}
