// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.CqlSettings;
import io.declock.ReleaseRead;
import java.time.Duration;

/** Parts of options that several scenarios have in common. */
final class ScenarioOptions {
    private ScenarioOptions() {}

    static SimulationOptions.Faults resets(int count) {
        return new SimulationOptions.Faults(10_000_000, 0, false, 0, 0, 0, 0, count, 0, 0, 0);
    }

    static SimulationOptions with(
            SimulationOptions drawn,
            SimulationOptions.Network network,
            SimulationOptions.Workload workload,
            SimulationOptions.Faults faults,
            CqlSettings cql) {
        return new SimulationOptions(drawn.cluster(), network, workload, faults, drawn.local(), cql);
    }

    static SimulationOptions withoutCeilings(SimulationOptions drawn) {
        SimulationOptions.Workload w = drawn.workload();
        return new SimulationOptions(
                drawn.cluster(),
                drawn.network(),
                new SimulationOptions.Workload(
                        w.operations(),
                        w.readShare(),
                        w.tryShare(),
                        w.timedShare(),
                        w.patience(),
                        w.reenterShare(),
                        w.convertShare(),
                        w.nestShare(),
                        0,
                        w.forgetShare(),
                        w.think(),
                        w.hold()),
                drawn.faults(),
                drawn.local(),
                drawn.cql(),
                drawn.outages(),
                drawn.rare());
    }

    static SimulationOptions smallRing(
            SimulationOptions drawn, double stallChance, long stall, Duration refetchInterval, int refetches) {
        SimulationOptions.Cluster c = drawn.cluster();
        CqlSettings cql = drawn.cql();
        return new SimulationOptions(
                new SimulationOptions.Cluster(4, 2, 1, 0, 4, -1, false, c.lease(), c.leaseMargin(), c.heartbeat()),
                new SimulationOptions.Network(1_000, 200, 0, 0, 1_000, 0.2, 0.2, 1_000, stallChance, stall, 0, 0),
                new SimulationOptions.Workload(60, 0.7, 0, 0, 0, 0, 0, 0, 0, 0, 500, 3_000),
                SimulationOptions.Faults.NONE,
                drawn.local(),
                but(cql).selfCheckInterval(Duration.ofNanos(20_000))
                        .refetchLimit(refetches)
                        .refetchInterval(refetchInterval)
                        .suspectAfter(Duration.ofHours(1))
                        .build());
    }

    /** Every release reads the queue in the same chain; writers that know their successor grant in advance, or do not. */
    static CqlSettings reading(boolean preArmed, CqlSettings cql) {
        return but(cql).preArmedHandOver(preArmed)
                .releaseRead(ReleaseRead.ALWAYS)
                .build();
    }

    /** Returns a builder that begins with what was drawn. */
    static CqlSettings.Builder but(CqlSettings drawn) {
        return CqlSettings.builder()
                .selfCheckInterval(drawn.selfCheckInterval())
                .prefetchInterval(drawn.prefetchInterval())
                .refetchLimit(drawn.refetchLimit())
                .refetchInterval(drawn.refetchInterval())
                .suspectAfter(drawn.suspectAfter())
                .resetPollInterval(drawn.resetPollInterval())
                .resetResendInterval(drawn.resetResendInterval())
                .preArmedHandOver(drawn.preArmedHandOver())
                .releaseRead(drawn.releaseRead());
    }

    static CqlSettings cql(CqlSettings drawn, Duration selfCheck, Duration suspect, int refetches) {
        return but(drawn)
                .selfCheckInterval(selfCheck)
                .refetchLimit(refetches)
                .suspectAfter(suspect)
                .build();
    }
}
