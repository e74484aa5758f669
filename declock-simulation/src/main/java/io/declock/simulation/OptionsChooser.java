// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.CqlSettings;
import io.declock.FairnessPolicy;
import io.declock.KeepSettings;
import io.declock.LocalSettings;
import io.declock.ReleaseRead;
import io.declock.internal.layout.RecordLayout;
import java.time.Duration;

/** Draws the options of a run from its seed, within the limits of a profile. */
public final class OptionsChooser {
    private static final long MICROS = 1_000;
    private static final long MILLIS = 1_000_000;

    /** The kinds of runs. */
    public enum Profile {
        /** No faults; only durations vary. */
        CALM,
        /** More compute nodes than the capacity, so that queues overflow. */
        OVERFLOW,
        /** Records that start near the end of their index range. */
        GUARD,
        /** Resets without need. */
        RESETS,
        /** Lost and duplicated messages. */
        LOSSY,
        /** Compute nodes die, pause, and lose their connection to the memory node. */
        CRASHES,
        /** Each of these with a chance of one half. */
        EVERYTHING,
        /** Connections to the memory node break, and their processes join again at once; compute nodes die, and there are resets. */
        DISCONNECTS,
        /** As in {@link #DISCONNECTS}, but their sessions go on with other connections, if the lease lasts. */
        RESUMPTIONS,
        /** As in {@link #RESUMPTIONS}, but adapters execute the verbs, and the results of those in flight are lost. */
        REPLACEMENTS,
        /** Some holds last a while at least, also when their processes leave or die; with faults as in {@link #RESUMPTIONS} or {@link #MOVES}. */
        MINIMUMS,
        /** Holders read and store the values of their locks; with faults as in {@link #MINIMUMS}. */
        VALUES,
        /** Many compute nodes acquire and release locks in a rush, and the records start near the end of their index range. */
        WALL,
        /** Several memory nodes, over which the names are spread, with faults of them and of compute nodes. */
        SPREAD,
        /** Memory nodes have fewer records than there are names, and reclaim idle ones; with faults of compute nodes. */
        RECLAIM,
        /** One of several memory nodes comes back under another id, until it is given its id back. */
        OTHER_ID,
        /** Behind one address, a second memory node of the same id begins while the first one lives on. */
        OVERLAP,
        /** Processes shut down while their callers hold locks and wait for others, and new ones take their place. */
        DRAIN,
        /** Memory nodes are added to the list of memory nodes and removed from it; with faults of compute nodes and of memory nodes. */
        LISTS,
        /** The memory node starts again with empty memory, or pauses. */
        RESTARTS,
        /** Compute nodes cannot reach each other or the memory node, in one or both directions, also in the middle of a reset. */
        PARTITIONS,
        /** Clocks drift and jump, and compute nodes die inside clock synchronisation. */
        CLOCKS,
        /** The memory node is slower than the rate of requests, and sessions have few operations in flight. */
        OVERLOAD,
        /** Each of all these with a chance of one half. */
        ANYTHING,
        /** Memory nodes have a list of their members that survives them, and start again often; with other faults in half of the seeds. */
        MOVES,
        /** Memory nodes have candidates that an engine elects, which die, pause and cannot reach it or each other; with other faults in half of the seeds. */
        STAND_BYS,
        /** Clocks of compute nodes stand still or go back by more than the margin of the lease, and their leases lapse meanwhile. */
        BROKEN_CLOCKS,
        /** Such clocks while the memory node starts again with empty memory; and each of the other faults with a chance of one half. */
        BROKEN_RESTARTS
    }

    private final SimulatedWorld world;
    private final Profile profile;

    private OptionsChooser(SimulatedWorld world, Profile profile) {
        this.world = world;
        this.profile = profile;
    }

    /** Draws options. */
    public static SimulationOptions choose(long seed, Profile profile) {
        OptionsChooser chooser = new OptionsChooser(new SimulatedWorld(seed ^ 0x0B71_0235L, new Trace(0)), profile);
        SimulationOptions drawn = chooser.choose();
        return drawn.keeping(chooser.keep());
    }

    // Drawn last, so that seeds without kept positions are the runs that they were before.
    private KeepSettings keep() {
        return world.chance(0.5)
                ? KeepSettings.OFF
                : KeepSettings.builder()
                        .after(world.oneOf(1, 1, 3))
                        .idle(Duration.ofNanos(world.oneOf(100 * MICROS, MILLIS, 20 * MILLIS)))
                        .max(world.oneOf(1, 2, 100))
                        .build();
    }

    /** Returns whether the next life of a memory node restores holds. */
    private boolean keepsHolds() {
        return profile == Profile.MOVES || profile == Profile.STAND_BYS;
    }

    /** Returns whether sessions go on with other connections after breaks, and nothing else. */
    private boolean resumes() {
        return profile == Profile.RESUMPTIONS || profile == Profile.REPLACEMENTS;
    }

    private boolean is(Profile asked) {
        boolean several = profile == Profile.EVERYTHING || profile == Profile.ANYTHING;
        return profile == asked || several && world.chance(0.5) || hasBesides(asked);
    }

    /** Returns, in half of the seeds, that a fault joins those of clocks and restarts. Overflows and the end of the index range never do. */
    private boolean hasBesides(Profile asked) {
        return (profile == Profile.BROKEN_RESTARTS || keepsHolds())
                && asked != Profile.OVERFLOW
                && asked != Profile.GUARD
                && world.chance(0.5);
    }

    private boolean hasOutages() {
        return profile.compareTo(Profile.RESTARTS) >= 0;
    }

    private boolean isOutage(Profile asked) {
        boolean several = profile == Profile.ANYTHING || profile == Profile.BROKEN_RESTARTS;
        boolean always =
                profile == asked || (profile == Profile.BROKEN_RESTARTS || keepsHolds()) && asked == Profile.RESTARTS;
        return always || several && world.chance(0.5);
    }

    private SimulationOptions choose() {
        boolean overflow = is(Profile.OVERFLOW);
        boolean guard = is(Profile.GUARD);
        boolean disconnects =
                profile == Profile.DISCONNECTS || resumes() || profile == Profile.MINIMUMS || profile == Profile.VALUES;
        boolean resets = is(Profile.RESETS) || disconnects;
        boolean lossy = is(Profile.LOSSY);
        boolean crashes = is(Profile.CRASHES) || disconnects;
        int nodes = world.between(2, 8);
        int capacity = overflow ? world.oneOf(2, 4) : world.oneOf(2, 4, 8, 8, 64);
        nodes = overflow ? Math.max(nodes, capacity + 1) : Math.min(nodes, capacity);
        SimulationOptions.Network network = network(lossy);
        boolean slow = world.chance(0.2);
        long lease = Math.max(20 * MILLIS, 80 * network.spike() + (slow ? 400 : 40) * network.jitter());
        SimulationOptions.Cluster cluster = new SimulationOptions.Cluster(
                nodes,
                world.between(1, 5),
                world.oneOf(1, 1, 2, 4),
                world.oneOf(0.0, 0.99),
                capacity,
                guard ? RecordLayout.GUARD + world.between(2, 80) : -1,
                overflow || crashes || hasOutages(),
                lease,
                lease / 10,
                lease / 5);
        long until = resets || lossy || crashes || hasOutages() ? world.between(5, 60) * MILLIS : 0;
        SimulationOptions.Faults faults = new SimulationOptions.Faults(
                until,
                crashes ? world.between(0, 3) : 0,
                world.chance(0.7),
                crashes ? world.between(0, 4) : 0,
                world.oneOf(1, 10, 40) * MILLIS,
                crashes ? world.between(0, 3) : 0,
                world.oneOf(1, 10, 40) * MILLIS,
                resets ? world.between(1, 12) : 0,
                slow ? 1 : 0,
                world.oneOf(0, 100, 10_000),
                world.oneOf(0L, 0L, MILLIS, 60_000 * MILLIS));
        SimulationOptions drawn = new SimulationOptions(cluster, network, workload(), faults, local(), cql());
        if (disconnects) {
            SimulationOptions broken = withDisconnects(drawn);
            return switch (profile) {
                case MINIMUMS -> withMinimums(broken);
                case VALUES -> withMinimums(broken).withValues(world.oneOf(0.5, 1.0));
                default -> broken;
            };
        }
        if (profile == Profile.WALL) {
            return inARush(drawn);
        }
        if (profile.compareTo(Profile.WALL) > 0 && !hasOutages()) {
            return WiringChooser.choose(world, profile, drawn);
        }
        return hasOutages() ? withOutages(drawn) : drawn;
    }

    // Drawn last, so that the seeds of the other profiles still give the same runs.
    private SimulationOptions withOutages(SimulationOptions drawn) {
        boolean broken = profile.compareTo(Profile.BROKEN_CLOCKS) >= 0;
        boolean moves = keepsHolds();
        boolean restarts = isOutage(Profile.RESTARTS);
        boolean partitions = isOutage(Profile.PARTITIONS);
        boolean clocks = isOutage(Profile.CLOCKS);
        boolean overload = isOutage(Profile.OVERLOAD);
        long lease = drawn.cluster().lease();
        SimulationOptions.Outages outages = new SimulationOptions.Outages(
                moves ? world.between(1, 5) : restarts ? world.between(broken ? 1 : 0, 2) : 0,
                moves ? world.oneOf(MILLIS / 10, lease / 20, lease / 4, lease) : world.oneOf(1, 10, 40) * MILLIS,
                5 * MICROS,
                restarts ? world.between(0, 3) : 0,
                world.oneOf(MILLIS, lease / 2, 2 * lease),
                partitions ? world.between(1, 6) : 0,
                world.oneOf(1, 10, 40) * MILLIS,
                clocks ? world.between(1, 4) : 0,
                clocks ? world.between(0, 2) : 0,
                clocks ? world.between(-10_000, 10_000) : 0,
                overload ? world.oneOf(200, 1_000, 3_000) : 0,
                overload ? world.oneOf(0, 2_000, 10_000) : 0,
                overload ? world.oneOf(0, 1, 2, 8) : 0,
                moves);
        SimulationOptions.Faults f = drawn.faults();
        long until = Math.max(f.until() * (restarts ? 4 : 1), broken || moves ? 8 * lease : 0);
        SimulationOptions.Faults faults = new SimulationOptions.Faults(
                until,
                f.kills(),
                f.restart(),
                f.pauses(),
                f.pause(),
                f.cuts(),
                f.cut(),
                f.forcedResets(),
                f.slowNodes(),
                f.driftPpm(),
                f.clockError());
        SimulationOptions.Workload workload =
                broken || moves ? holdingOn(drawn.workload(), lease) : lasting(drawn.workload(), until);
        SimulationOptions.Rare rare = SimulationOptions.Rare.NONE;
        if (broken) {
            rare = new SimulationOptions.Rare(world.between(1, 5), world.oneOf(lease / 4, lease, 2 * lease), 0, 0, 0);
        } else if (moves) {
            rare = new SimulationOptions.Rare(0, 0, 0, 0, world.chance(0.5) ? world.between(1, 10) : 0);
        }
        return new SimulationOptions(
                drawn.cluster(),
                drawn.network(),
                workload,
                faults,
                drawn.local(),
                drawn.cql(),
                outages,
                rare,
                SimulationOptions.Wiring.NONE,
                profile == Profile.STAND_BYS ? elections(lease) : SimulationOptions.Elections.NONE);
    }

    private SimulationOptions.Elections elections(long lease) {
        long term = world.oneOf(lease / 8, lease / 4, lease / 2);
        return new SimulationOptions.Elections(
                world.oneOf(2, 2, 3),
                term,
                world.between(0, 4),
                world.oneOf(term / 2, 2 * term, 2 * lease),
                world.between(0, 2));
    }

    private SimulationOptions inARush(SimulationOptions drawn) {
        SimulationOptions.Cluster c = drawn.cluster();
        SimulationOptions.Workload w = drawn.workload();
        int nodes = world.between(16, 24);
        return new SimulationOptions(
                new SimulationOptions.Cluster(
                        nodes,
                        1,
                        1,
                        0,
                        world.oneOf(32, 64),
                        // A rush takes some thousands of positions, and is to reach the end of the range if nothing
                        // stops it.
                        world.oneOf(RecordLayout.GUARD / 2 + world.between(2, 80), 600),
                        false,
                        c.lease(),
                        c.leaseMargin(),
                        c.heartbeat()),
                new SimulationOptions.Network(1_000, world.oneOf(0L, 200L), 0, 0, 1_000, 0.2, 0.2, 1_000, 0, 0, 0, 0),
                new SimulationOptions.Workload(
                        2_600 / nodes,
                        world.oneOf(1.0, 1.0, 0.95),
                        world.oneOf(0.0, 0.0, 0.2),
                        0,
                        w.patience(),
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0),
                SimulationOptions.Faults.NONE,
                drawn.local(),
                drawn.cql());
    }

    private SimulationOptions withDisconnects(SimulationOptions drawn) {
        boolean resumed = resumes();
        int breaks = world.between(1, 30);
        return new SimulationOptions(
                drawn.cluster(),
                drawn.network(),
                lasting(drawn.workload(), drawn.faults().until()),
                drawn.faults(),
                drawn.local(),
                drawn.cql(),
                SimulationOptions.Outages.NONE,
                new SimulationOptions.Rare(
                        0, 0, 0, resumed ? 0 : breaks, resumed ? breaks : 0, profile == Profile.REPLACEMENTS));
    }

    private SimulationOptions withMinimums(SimulationOptions drawn) {
        long lease = drawn.cluster().lease();
        int breaks = drawn.rare().disconnects();
        boolean resumed = world.chance(0.5);
        boolean restarts = world.chance(0.3);
        SimulationOptions.Outages none = SimulationOptions.Outages.NONE;
        return new SimulationOptions(
                drawn.cluster(),
                drawn.network(),
                drawn.workload(),
                drawn.faults(),
                drawn.local(),
                drawn.cql(),
                restarts
                        ? new SimulationOptions.Outages(
                                world.between(1, 3),
                                world.oneOf(MILLIS / 10, lease / 20, lease / 4),
                                5 * MICROS,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                true)
                        : none,
                new SimulationOptions.Rare(0, 0, 0, resumed ? 0 : breaks, resumed ? breaks : 0),
                new SimulationOptions.Wiring(
                        1, 0, 0, 0, 0, 0, world.between(0, drawn.cluster().computeNodes()), 0),
                SimulationOptions.Elections.NONE,
                new SimulationOptions.Minimums(
                        world.oneOf(0.1, 0.5, 1.0), world.oneOf(lease / 20, lease / 2, 2 * lease)));
    }

    /** Returns a workload whose callers, in half of the seeds, hold for about as long as a lease, so that leases lapse during holds. */
    private SimulationOptions.Workload holdingOn(SimulationOptions.Workload w, long lease) {
        boolean briefly = world.chance(0.5);
        return w.paced(
                Math.min(w.operations(), briefly ? 40 : 8),
                Math.max(w.think(), lease / 8),
                Math.max(w.hold(), briefly ? lease / 20 : lease));
    }

    /** Returns a workload whose callers are busy for as long as faults occur. */
    static SimulationOptions.Workload lasting(SimulationOptions.Workload w, long until) {
        return w.paced(
                w.operations(),
                Math.max(w.think(), until / w.operations() / 2),
                Math.max(w.hold(), until / w.operations() / 8));
    }

    private SimulationOptions.Network network(boolean lossy) {
        long oneWay = world.oneOf(1, 1, 5, 30) * MICROS;
        return new SimulationOptions.Network(
                oneWay,
                world.oneOf(0L, oneWay / 4, oneWay, 4 * oneWay),
                world.oneOf(0.0, 0.01, 0.1),
                world.oneOf(10, 100, 1000) * oneWay,
                world.oneOf(oneWay, oneWay / 2, 4 * oneWay),
                world.oneOf(0.0, 0.2, 0.8),
                world.oneOf(0.0, 0.2, 0.8),
                world.oneOf(oneWay / 4, oneWay, 8 * oneWay),
                world.oneOf(0.0, 0.02, 0.2),
                world.oneOf(oneWay, 10 * oneWay, 100 * oneWay),
                lossy ? world.oneOf(0.01, 0.1, 0.5) : 0,
                lossy ? world.oneOf(0.0, 0.1, 0.5) : world.oneOf(0.0, 0.0, 0.05));
    }

    private SimulationOptions.Workload workload() {
        return new SimulationOptions.Workload(
                world.between(5, 40),
                world.oneOf(0.0, 0.2, 0.5, 0.8, 0.95, 1.0),
                world.oneOf(0.0, 0.1, 0.5),
                world.oneOf(0.0, 0.1, 0.5),
                world.oneOf(5, 50, 500) * MICROS,
                world.oneOf(0.0, 0.1),
                world.oneOf(0.0, 0.1, 0.5),
                world.oneOf(0.0, 0.0, 0.2),
                world.oneOf(0.0, 0.0, 0.05),
                world.oneOf(0.0, 0.1, 0.5),
                world.oneOf(0, 1, 20, 200) * MICROS,
                world.oneOf(0, 1, 20, 200) * MICROS);
    }

    private LocalSettings local() {
        return LocalSettings.builder()
                .policy(world.oneOf(FairnessPolicy.TASK_FAIR, FairnessPolicy.PHASE_FAIR))
                .localHandOverLimit(world.oneOf(0, 2, 64))
                .localHandOverTime(Duration.ofNanos(world.oneOf(1, 10_000) * MICROS))
                .readerPhases(world.oneOf(0, 1, 4))
                .build();
    }

    private CqlSettings cql() {
        return CqlSettings.builder()
                .selfCheckInterval(Duration.ofNanos(world.oneOf(100, 500, 5_000) * MICROS))
                .prefetchInterval(Duration.ofNanos(world.oneOf(0, 20, 500) * MICROS))
                .refetchLimit(world.oneOf(0, 2, 8))
                .refetchInterval(Duration.ofNanos(world.oneOf(1, 10, 50) * MICROS))
                .suspectAfter(Duration.ofNanos(world.oneOf(2, 10, 50) * MILLIS))
                .resetPollInterval(Duration.ofNanos(world.oneOf(50, 1_000) * MICROS))
                .resetResendInterval(Duration.ofNanos(world.oneOf(200, 5_000) * MICROS))
                .preArmedHandOver(world.chance(0.6))
                .releaseRead(world.oneOf(ReleaseRead.ALWAYS, ReleaseRead.ADAPTIVE, ReleaseRead.KNOWN))
                .build();
    }
}
