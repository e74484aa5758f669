// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.CqlSettings;
import io.declock.KeepSettings;
import io.declock.ReleaseRead;
import io.declock.simulation.OptionsChooser.Profile;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A scenario in which a mutation must be seen: the options of each seed, and the judgement of the outcome. */
enum Scenario {
    CALM(Profile.CALM),
    OVERFLOW(Profile.OVERFLOW),
    GUARD(Profile.GUARD),
    RESETS(Profile.RESETS),
    LOSSY(Profile.LOSSY),
    CRASHES(Profile.CRASHES),
    EVERYTHING(Profile.EVERYTHING),
    RESTARTS(Profile.RESTARTS),
    DISCONNECTS(Profile.DISCONNECTS),
    RESUMPTIONS(Profile.RESUMPTIONS),
    REPLACEMENTS(Profile.REPLACEMENTS),
    MINIMUMS(Profile.MINIMUMS),
    VALUES(Profile.VALUES),
    WALL(Profile.WALL),
    SPREAD(Profile.SPREAD),
    RECLAIM(Profile.RECLAIM),
    OVERLAP(Profile.OVERLAP),
    DRAIN(Profile.DRAIN),
    LISTS(Profile.LISTS),

    /** As {@link #LISTS}, with more lists, and connections that break again and again and are resumed. */
    LISTS_RESUMED(Profile.LISTS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Wiring w = drawn.wiring();
            return new SimulationOptions(
                    drawn.cluster(),
                    drawn.network(),
                    drawn.workload(),
                    drawn.faults(),
                    drawn.local(),
                    drawn.cql(),
                    drawn.outages(),
                    new SimulationOptions.Rare(0, 0, 0, 0, 40),
                    new SimulationOptions.Wiring(w.memoryNodes(), w.records(), w.reclaimInterval(), 0, 0, 0, 0, 8));
        }
    },

    /**
     * Values of one lock that several compute nodes want, whose holds often end while the value is being stored: a ceiling is reached, or the process dies. Messages
     * between compute nodes are faster than requests, so that the next holder looks early.
     */
    VALUES_ENDED(Profile.VALUES) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            return new SimulationOptions(
                            new SimulationOptions.Cluster(4, 1, 1, 0, 8, -1, true, 20_000_000, 2_000_000, 4_000_000),
                            new SimulationOptions.Network(2_000, 2_000, 0.05, 20_000, 300, 0.2, 0.2, 1_000, 0, 0, 0, 0),
                            new SimulationOptions.Workload(60, 0, 0, 0, 0, 0, 0, 0, 1, 0, 500, 4_000),
                            new SimulationOptions.Faults(400_000, 3, true, 0, 0, 0, 0, 0, 0, 0, 0),
                            drawn.local(),
                            ScenarioOptions.reading(true, drawn.cql()))
                    .withValues(1);
        }
    },

    /** No hold is ended against its owner's will except by the end of its session. */
    BROKEN_CLOCKS(Profile.BROKEN_CLOCKS) {
        @Override
        SimulationOptions options(long seed) {
            return ScenarioOptions.withoutCeilings(super.options(seed));
        }
    },

    /**
     * No message is lost, no thread is held up, and self-checks are a second apart: every grant must come by a message, and a grant
     * that a self-check had to find counts as a failure.
     */
    NOTIFIED(Profile.CALM) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Cluster c = drawn.cluster();
            SimulationOptions.Network n = drawn.network();
            return new SimulationOptions(
                    new SimulationOptions.Cluster(
                            c.computeNodes(),
                            c.clientsPerNode(),
                            c.locks(),
                            c.zipf(),
                            64,
                            -1,
                            false,
                            10 * SECOND,
                            SECOND,
                            SECOND),
                    new SimulationOptions.Network(
                            n.oneWay(),
                            n.jitter(),
                            0,
                            0,
                            n.peerOneWay(),
                            n.gapChance(),
                            n.tearChance(),
                            n.gap(),
                            0,
                            0,
                            0,
                            0),
                    drawn.workload(),
                    SimulationOptions.Faults.NONE,
                    drawn.local(),
                    ScenarioOptions.cql(drawn.cql(), Duration.ofSeconds(1), Duration.ofHours(1), 1_000_000));
        }

        @Override
        @Nullable
        String judge(Simulation.Outcome outcome) {
            return outcome.selfCheckGrants() > 0
                    ? "notified: " + outcome.selfCheckGrants() + " grants were never sent"
                    : super.judge(outcome);
        }
    },

    /** As {@link #NOTIFIED}, and every position is kept, for hours if nobody asks for the lock. */
    KEPT(Profile.CALM) {
        @Override
        SimulationOptions options(long seed) {
            return NOTIFIED.options(seed)
                    .keeping(KeepSettings.builder()
                            .after(1)
                            .idle(Duration.ofHours(1))
                            .build());
        }

        @Override
        @Nullable
        String judge(Simulation.Outcome outcome) {
            return NOTIFIED.judge(outcome);
        }
    },

    /** As {@link #NOTIFIED}, with resets without need. */
    NOTIFIED_RESETS(Profile.RESETS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions calm = NOTIFIED.options(seed);
            return ScenarioOptions.with(calm, calm.network(), calm.workload(), ScenarioOptions.resets(20), calm.cql());
        }

        @Override
        @Nullable
        String judge(Simulation.Outcome outcome) {
            return NOTIFIED.judge(outcome);
        }
    },

    /** Readers that upgrade, and waiters that self-check often. */
    UPGRADES(Profile.LOSSY) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Workload w = drawn.workload();
            return ScenarioOptions.with(
                    drawn,
                    drawn.network(),
                    new SimulationOptions.Workload(20, 0.9, 0, 0, 0, 0, 0.8, 0, 0, 0, 50_000, w.hold() + 20_000),
                    drawn.faults(),
                    ScenarioOptions.cql(
                            drawn.cql(), Duration.ofNanos(20_000), drawn.cql().suspectAfter(), 2));
        }
    },

    /** Grants that arrive after the reset that made them invalid. */
    LATE_GRANTS(Profile.RESETS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Cluster c = drawn.cluster();
            SimulationOptions.Network n = drawn.network();
            return new SimulationOptions(
                    new SimulationOptions.Cluster(4, 2, 1, 0, 8, -1, false, c.lease(), c.leaseMargin(), c.heartbeat()),
                    new SimulationOptions.Network(1000, 200, 0.3, 10_000, 1000, 0, 0, 0, 0, 0, 0.2, 0.5),
                    new SimulationOptions.Workload(60, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 500, 5_000),
                    ScenarioOptions.resets(60),
                    drawn.local(),
                    ScenarioOptions.cql(
                            drawn.cql(), Duration.ofNanos(100_000), drawn.cql().suspectAfter(), 2));
        }
    },

    /** READs torn far apart, and waiters that depend on them. */
    TORN(Profile.LOSSY) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Network n = drawn.network();
            return ScenarioOptions.with(
                    drawn,
                    new SimulationOptions.Network(
                            n.oneWay(), n.jitter(), 0, 0, n.peerOneWay(), 0.8, 0.9, 10 * n.oneWay(), 0, 0, 0.5, 0),
                    new SimulationOptions.Workload(25, 0.5, 0, 0, 0, 0, 0.1, 0, 0, 0, n.oneWay(), 4 * n.oneWay()),
                    drawn.faults(),
                    ScenarioOptions.cql(
                            drawn.cql(),
                            Duration.ofNanos(20 * n.oneWay()),
                            drawn.cql().suspectAfter(),
                            2));
        }
    },

    /** Processes that die and come back, and resets meanwhile. */
    JOINS(Profile.EVERYTHING) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Cluster c = drawn.cluster();
            SimulationOptions.Network n = drawn.network();
            return new SimulationOptions(
                    new SimulationOptions.Cluster(4, 2, 1, 0, 8, -1, true, 20_000_000, 2_000_000, 4_000_000),
                    new SimulationOptions.Network(
                            n.oneWay(),
                            n.oneWay(),
                            0.3,
                            50 * n.oneWay(),
                            n.peerOneWay(),
                            0.5,
                            0.2,
                            n.oneWay(),
                            0,
                            0,
                            0.1,
                            0.1),
                    new SimulationOptions.Workload(30, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 20_000, 20_000),
                    new SimulationOptions.Faults(20_000_000, 10, true, 0, 0, 0, 0, 40, 0, 0, 0),
                    drawn.local(),
                    drawn.cql());
        }
    },

    /**
     * A memory node that loses its memory while locks are held and have been reset often, and whose seconds are so long that only the
     * epochs that compute nodes report tell it where to begin.
     */
    ERASED(Profile.RESTARTS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            return new SimulationOptions(
                    new SimulationOptions.Cluster(4, 2, 1, 0, 8, -1, true, 100_000_000, 10_000_000, 20_000_000),
                    new SimulationOptions.Network(2_000, 500, 0, 0, 2_000, 0.2, 0.2, 1_000, 0, 0, 0, 0),
                    new SimulationOptions.Workload(25, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 5_000_000, 10_000_000),
                    new SimulationOptions.Faults(400_000_000, 0, false, 0, 0, 0, 0, 40, 0, 0, 0),
                    drawn.local(),
                    ScenarioOptions.cql(drawn.cql(), Duration.ofMillis(2), Duration.ofMillis(50), 2),
                    new SimulationOptions.Outages(2, 5_000_000, 1000 * SECOND, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false));
        }
    },

    /** Compute nodes that receive the memory node's messages again before it receives theirs. */
    HALF_HEALED(Profile.PARTITIONS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions cutOff = CUT_OFF.options(seed);
            SimulationOptions.Cluster c = cutOff.cluster();
            return new SimulationOptions(
                    new SimulationOptions.Cluster(
                            Math.min(c.computeNodes(), 4),
                            2,
                            1,
                            0,
                            8,
                            -1,
                            true,
                            c.lease(),
                            c.leaseMargin(),
                            c.heartbeat()),
                    cutOff.network(),
                    new SimulationOptions.Workload(30, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 5_000_000, 20_000_000),
                    new SimulationOptions.Faults(400_000_000, 0, false, 0, 0, 0, 0, 0, 0, 0, 0),
                    cutOff.local(),
                    cutOff.cql(),
                    new SimulationOptions.Outages(0, 0, 1, 0, 0, 40, 20_000_000, 0, 0, 0, 0, 0, 0, false));
        }
    },

    /** Processes that are paused or cut off beyond their lease. */
    CUT_OFF(Profile.CRASHES) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Cluster c = drawn.cluster();
            return new SimulationOptions(
                    new SimulationOptions.Cluster(
                            c.computeNodes(), 2, 1, 0, c.capacity(), -1, true, 20_000_000, 2_000_000, 4_000_000),
                    new SimulationOptions.Network(2_000, 500, 0, 0, 2_000, 0.2, 0.2, 1_000, 0, 0, 0, 0),
                    new SimulationOptions.Workload(200, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 100_000, 5_000_000),
                    new SimulationOptions.Faults(400_000_000, 0, false, 10, 60_000_000, 10, 60_000_000, 0, 0, 0, 0),
                    drawn.local(),
                    ScenarioOptions.cql(drawn.cql(), Duration.ofNanos(500_000), Duration.ofMillis(2), 2));
        }
    },

    /** As {@link #CUT_OFF}, with connections that break, and requests to join that arrive long after a later one. */
    LATE_JOINS(Profile.DISCONNECTS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions cutOff = CUT_OFF.options(seed);
            return new SimulationOptions(
                    cutOff.cluster(),
                    cutOff.network(),
                    cutOff.workload(),
                    cutOff.faults(),
                    cutOff.local(),
                    cutOff.cql(),
                    SimulationOptions.Outages.NONE,
                    new SimulationOptions.Rare(0, 0, 0, 40, 0));
        }
    },

    /** Long holds, and sessions that lose their connections again and again, often for nearly a lease or longer. */
    RESUMED_LATE(Profile.RESUMPTIONS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions cutOff = CUT_OFF.options(seed);
            return new SimulationOptions(
                    cutOff.cluster(),
                    cutOff.network(),
                    new SimulationOptions.Workload(30, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 1_000_000, 20_000_000),
                    new SimulationOptions.Faults(400_000_000, 0, false, 0, 0, 0, 0, 0, 0, 0, 0),
                    cutOff.local(),
                    cutOff.cql(),
                    SimulationOptions.Outages.NONE,
                    new SimulationOptions.Rare(0, 0, 0, 0, 200));
        }
    },

    /** As {@link #RECLAIM}, with sessions that go on with other connections. */
    RESUMED_RECLAIM(Profile.RECLAIM) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            long until = Math.max(drawn.faults().until(), 100_000_000);
            SimulationOptions.Faults f = drawn.faults();
            return new SimulationOptions(
                    drawn.cluster(),
                    drawn.network(),
                    OptionsChooser.lasting(drawn.workload(), until),
                    new SimulationOptions.Faults(
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
                            f.clockError()),
                    drawn.local(),
                    drawn.cql(),
                    drawn.outages(),
                    new SimulationOptions.Rare(0, 0, 0, 0, 60),
                    drawn.wiring());
        }
    },

    /** Memory nodes with lists of their members start again and again, while locks are held and compute nodes pause, die and are cut off. */
    MOVES_OFTEN(Profile.MOVES) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            return new SimulationOptions(
                    new SimulationOptions.Cluster(4, 2, 1, 0, 8, -1, true, 100_000_000, 10_000_000, 20_000_000),
                    new SimulationOptions.Network(20_000, 5_000, 0, 0, 20_000, 0.2, 0.2, 1_000, 0, 0, 0, 0),
                    new SimulationOptions.Workload(40, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 1_000_000, 20_000_000),
                    new SimulationOptions.Faults(800_000_000, 1, true, 12, 100_000_000, 2, 40_000_000, 0, 0, 0, 0),
                    drawn.local(),
                    ScenarioOptions.cql(drawn.cql(), Duration.ofMillis(2), Duration.ofMillis(50), 2),
                    new SimulationOptions.Outages(12, 2_000_000, 5_000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, true),
                    new SimulationOptions.Rare(0, 0, 0, 0, (int) (seed % 2) * 10));
        }
    },

    /** As {@link #MOVES_OFTEN}, with a network so slow that compute nodes pause in the middle of a move. */
    MOVES_SLOWLY(Profile.MOVES) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions often = MOVES_OFTEN.options(seed);
            return new SimulationOptions(
                    often.cluster(),
                    new SimulationOptions.Network(3_000_000, 1_000_000, 0, 0, 3_000_000, 0.2, 0.2, 1_000, 0, 0, 0, 0),
                    often.workload(),
                    new SimulationOptions.Faults(800_000_000, 1, true, 24, 100_000_000, 2, 40_000_000, 0, 0, 0, 0),
                    often.local(),
                    often.cql(),
                    often.outages(),
                    often.rare());
        }
    },

    /** Candidates die, pause, resign and are cut off from their engine again and again, while locks are held for long. */
    ELECTIONS(Profile.STAND_BYS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions moves = MOVES_OFTEN.options(seed);
            return new SimulationOptions(
                    new SimulationOptions.Cluster(4, 2, 1, 0, 8, -1, true, 800_000_000, 80_000_000, 160_000_000),
                    moves.network(),
                    new SimulationOptions.Workload(40, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 10_000_000, 200_000_000),
                    new SimulationOptions.Faults(8 * SECOND, 0, true, 4, 400_000_000, 2, 200_000_000, 0, 0, 0, 0),
                    moves.local(),
                    ScenarioOptions.cql(moves.cql(), Duration.ofMillis(20), Duration.ofMillis(500), 2),
                    new SimulationOptions.Outages(8, 10_000_000, 5_000, 8, 250_000_000, 0, 0, 0, 0, 0, 0, 0, 0, true),
                    moves.rare(),
                    SimulationOptions.Wiring.NONE,
                    new SimulationOptions.Elections(2, 100_000_000, 6, 300_000_000, 4));
        }
    },

    /**
     * Candidates die and cannot reach the engine, for longer than the leases of processes, of which new ones come. A term lasts longer than those
     * leases, too: the next life has served for a while when the former one would end.
     */
    PROMISES(Profile.STAND_BYS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions elections = ELECTIONS.options(seed);
            return new SimulationOptions(
                    new SimulationOptions.Cluster(4, 2, 1, 0, 8, -1, true, 200_000_000, 20_000_000, 40_000_000),
                    elections.network(),
                    elections.workload(),
                    new SimulationOptions.Faults(16 * SECOND, 12, true, 0, 0, 0, 0, 0, 0, 0, 0),
                    elections.local(),
                    elections.cql(),
                    new SimulationOptions.Outages(8, 10_000_000, 5_000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, true),
                    SimulationOptions.Rare.NONE,
                    SimulationOptions.Wiring.NONE,
                    new SimulationOptions.Elections(2, 800_000_000, 12, 2 * SECOND, 0));
        }
    },

    /**
     * Compute nodes that have reset a lock often die, and then the memory node, whose seconds are so long that only its list tells it where
     * to begin.
     */
    LISTED_DEATHS(Profile.MOVES) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            return new SimulationOptions(
                    new SimulationOptions.Cluster(3, 2, 1, 0, 8, -1, true, 100_000_000, 10_000_000, 20_000_000),
                    new SimulationOptions.Network(2_000, 500, 0, 0, 2_000, 0.2, 0.2, 1_000, 0, 0, 0, 0),
                    new SimulationOptions.Workload(40, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 5_000_000, 10_000_000),
                    new SimulationOptions.Faults(800_000_000, 8, true, 0, 0, 0, 0, 40, 0, 0, 0),
                    drawn.local(),
                    ScenarioOptions.cql(drawn.cql(), Duration.ofMillis(2), Duration.ofMillis(50), 2),
                    new SimulationOptions.Outages(6, 2_000_000, 1000 * SECOND, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, true),
                    SimulationOptions.Rare.NONE);
        }
    },

    /** Messages are lost, and no waiter suspects: only the self-check can help. */
    UNSUSPICIOUS(Profile.LOSSY) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            CqlSettings cql = drawn.cql();
            return new SimulationOptions(
                    drawn.cluster(),
                    drawn.network(),
                    drawn.workload(),
                    drawn.faults(),
                    drawn.local(),
                    ScenarioOptions.cql(cql, cql.selfCheckInterval(), Duration.ofHours(1), cql.refetchLimit()));
        }
    },

    /** Processes die, and no waiter suspects before a very long time: only the rule about positions of dead members can help. */
    DEAD_ONLY(Profile.CRASHES) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            CqlSettings cql = drawn.cql();
            SimulationOptions.Workload w = drawn.workload();
            return ScenarioOptions.with(
                    drawn,
                    drawn.network(),
                    new SimulationOptions.Workload(
                            w.operations(), w.readShare(), 0.9, 0, 0, 0, 0, 0, 0, 0, w.think(), w.hold() + 100_000),
                    new SimulationOptions.Faults(60_000_000, 3, true, 0, 0, 0, 0, 0, 0, 0, 0),
                    ScenarioOptions.cql(cql, cql.selfCheckInterval(), Duration.ofSeconds(16), cql.refetchLimit()));
        }
    },

    /** As {@link #DEAD_ONLY}, but mostly the only process that wants a lock looks it up after its holder has died. */
    LATE_COMERS(Profile.CRASHES) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions dead = DEAD_ONLY.options(seed);
            SimulationOptions.Cluster c = dead.cluster();
            return new SimulationOptions(
                    new SimulationOptions.Cluster(
                            2, 1, 6, 0, c.capacity(), -1, c.admitAll(), c.lease(), c.leaseMargin(), c.heartbeat()),
                    dead.network(),
                    dead.workload(),
                    dead.faults(),
                    dead.local(),
                    ScenarioOptions.cql(
                            dead.cql(),
                            dead.cql().selfCheckInterval(),
                            Duration.ofHours(1),
                            dead.cql().refetchLimit()));
        }
    },

    /** All waiters suspect soon, holds are long, and there are no faults: there is no reason for any reset. */
    LONG_HOLDS(Profile.CALM) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Workload w = drawn.workload();
            SimulationOptions.Network n = drawn.network();
            return new SimulationOptions(
                    drawn.cluster(),
                    new SimulationOptions.Network(
                            1000, 200, 0, 0, 1000, n.gapChance(), n.tearChance(), n.gap() % 1000, 0, 0, 0, 0),
                    new SimulationOptions.Workload(4, w.readShare(), 0, 0, 0, 0, 0, 0, 0, 0, 1000, 30_000_000),
                    SimulationOptions.Faults.NONE,
                    drawn.local(),
                    ScenarioOptions.cql(
                            drawn.cql(),
                            Duration.ofNanos(100_000),
                            Duration.ofMillis(2),
                            drawn.cql().refetchLimit()));
        }

        @Override
        @Nullable
        String judge(Simulation.Outcome outcome) {
            return outcome.resets() > 0
                    ? "order: " + outcome.resets() + " resets without a reason"
                    : super.judge(outcome);
        }
    },

    /** Readers whose entry is delayed while others go round the ring of a small queue, so that it overwrites another node's entry. */
    OVERWRITTEN(Profile.CALM) {
        @Override
        SimulationOptions options(long seed) {
            return ScenarioOptions.smallRing(super.options(seed), 0.1, 100_000, Duration.ofNanos(10_000), 2);
        }
    },

    /**
     * Readers that find their grants by self-checks and go round the ring of a small queue, while the writer before them pauses between two
     * READs of the queue. The writer continues reading for as long as an entry seems to be in flight.
     */
    ROUND_THE_RING(Profile.CALM) {
        @Override
        SimulationOptions options(long seed) {
            return ScenarioOptions.smallRing(super.options(seed), 0.3, 4_000, Duration.ofNanos(100_000), 1_000_000);
        }
    },

    /** Resets on a network in which every message takes the same time, so that no later signal overtakes a grant. */
    STEADY_RESETS(Profile.RESETS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Cluster c = drawn.cluster();
            return new SimulationOptions(
                    new SimulationOptions.Cluster(4, 2, 1, 0, 8, -1, false, c.lease(), c.leaseMargin(), c.heartbeat()),
                    new SimulationOptions.Network(1_000, 0, 0, 0, 1_000, 0, 0, 0, 0, 0, 0, 0),
                    new SimulationOptions.Workload(60, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 500, 3_000),
                    ScenarioOptions.resets(100),
                    drawn.local(),
                    ScenarioOptions.reading(
                            false, ScenarioOptions.cql(drawn.cql(), Duration.ofMillis(5), Duration.ofMillis(50), 2)));
        }
    },

    /** Writers that are granted the lock, and release it, while the answer to the WRITE of their entry is in flight; and resets. */
    LATE_ANSWERS(Profile.RESETS) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Cluster c = drawn.cluster();
            return new SimulationOptions(
                    new SimulationOptions.Cluster(6, 2, 1, 0, 8, -1, false, c.lease(), c.leaseMargin(), c.heartbeat()),
                    new SimulationOptions.Network(1_000, 200, 0.2, 20_000, 1_000, 0, 0, 0, 0, 0, 0, 0),
                    new SimulationOptions.Workload(60, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 500, 1_000),
                    ScenarioOptions.resets(100),
                    drawn.local(),
                    ScenarioOptions.reading(true, drawn.cql()));
        }
    },

    /** Long holds behind which a waiter dies, and another process gets its node id while its entry is still in the queue. */
    STALE_ENTRIES(Profile.CRASHES) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            return new SimulationOptions(
                    new SimulationOptions.Cluster(4, 1, 1, 0, 4, -1, true, 20_000_000, 2_000_000, 4_000_000),
                    new SimulationOptions.Network(2_000, 500, 0, 0, 2_000, 0, 0, 0, 0, 0, 0, 0),
                    new SimulationOptions.Workload(10, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 100_000, 200_000_000),
                    new SimulationOptions.Faults(2_000_000_000, 10, true, 0, 0, 0, 0, 0, 0, 0, 0),
                    drawn.local(),
                    ScenarioOptions.cql(drawn.cql(), Duration.ofMillis(5), Duration.ofSeconds(5), 2));
        }
    },

    /**
     * Initiators that die in their resets while another process replaces them at once, and others that are held up between checking the
     * members and taking over the reset.
     */
    SUCCEEDED(Profile.CRASHES) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            return new SimulationOptions(
                    new SimulationOptions.Cluster(4, 1, 1, 0, 4, -1, true, 20_000_000, 2_000_000, 4_000_000),
                    new SimulationOptions.Network(5_000, 0, 0, 0, 5_000, 0, 0, 0, 0.2, 4_000_000, 0, 0),
                    new SimulationOptions.Workload(60, 0.3, 0.5, 0, 0, 0, 0, 0, 0, 0, 2_000_000, 5_000),
                    new SimulationOptions.Faults(600_000_000, 0, false, 0, 0, 0, 0, 0, 0, 0, 0),
                    drawn.local(),
                    ScenarioOptions.but(drawn.cql())
                            .selfCheckInterval(Duration.ofMillis(1))
                            .refetchLimit(2)
                            .suspectAfter(Duration.ofNanos(20_000))
                            .resetPollInterval(Duration.ofNanos(20_000))
                            .resetResendInterval(Duration.ofNanos(200_000))
                            .preArmedHandOver(false)
                            .releaseRead(ReleaseRead.ALWAYS)
                            .build(),
                    SimulationOptions.Outages.NONE,
                    new SimulationOptions.Rare(0, 0, 30, 0, 0));
        }
    },

    /** One compute node whose callers hand the lock to each other hundreds of times. */
    LOCAL_ONLY(Profile.CALM) {
        @Override
        SimulationOptions options(long seed) {
            SimulationOptions drawn = super.options(seed);
            SimulationOptions.Cluster c = drawn.cluster();
            SimulationOptions.Workload w = drawn.workload();
            return new SimulationOptions(
                    new SimulationOptions.Cluster(1, 5, 1, 0, 8, -1, false, c.lease(), c.leaseMargin(), c.heartbeat()),
                    drawn.network(),
                    new SimulationOptions.Workload(
                            150,
                            w.readShare() / 2,
                            0,
                            w.timedShare(),
                            w.patience(),
                            0,
                            w.convertShare(),
                            0,
                            0,
                            0,
                            0,
                            1000),
                    drawn.faults(),
                    drawn.local(),
                    drawn.cql());
        }
    };

    private static final long SECOND = 1_000_000_000L;
    private final Profile profile;

    Scenario(Profile profile) {
        this.profile = profile;
    }

    /** Returns the options of a seed. Nothing is kept, so that kept locks hide no broken rule of another part. */
    SimulationOptions options(long seed) {
        return OptionsChooser.choose(seed, profile).keeping(KeepSettings.OFF);
    }

    /** Returns the failure of an outcome, or null. */
    @Nullable
    String judge(Simulation.Outcome outcome) {
        Violation violation = outcome.violation();
        return violation == null ? null : violation.getMessage();
    }

    /** Runs a seed; returns its failure, or null. */
    @Nullable
    String run(long seed) {
        return judge(Simulation.run(seed, options(seed), 0));
    }
}
