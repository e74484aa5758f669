// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.CqlSettings;
import io.declock.KeepSettings;
import io.declock.LocalSettings;
import io.declock.internal.layout.RecordLayout;
import io.declock.simulation.LockSystem.DecLockSystem;
import java.time.Duration;

/** The options of a cluster that is measured: without faults, and with leases that do not end. */
final class MeasuredOptions {
    private static final long HOUR = 3_600_000_000_000L;

    private MeasuredOptions() {}

    /** Returns the options of a cluster with a lock. */
    static SimulationOptions of(
            DecLockSystem lock,
            SimulationOptions.Cluster cluster,
            SimulationOptions.Network network,
            SimulationOptions.Wiring wiring,
            double readShare) {
        SimulationOptions options = new SimulationOptions(
                cluster,
                network,
                new SimulationOptions.Workload(0, readShare, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                SimulationOptions.Faults.NONE,
                LocalSettings.builder()
                        .policy(lock.policy())
                        .localHandOverLimit(64)
                        .localHandOverTime(Duration.ofMillis(1))
                        .readerPhases(lock.handOver().equals(LockSystem.HandOver.BY_TIMESTAMPS) ? 4 : Integer.MAX_VALUE)
                        .build(),
                CqlSettings.builder()
                        .selfCheckInterval(lock.variation().selfCheck() ? Duration.ofMillis(2) : Duration.ofNanos(HOUR))
                        .prefetchInterval(Duration.ofNanos(5_000))
                        .refetchLimit(64)
                        .refetchInterval(Duration.ofNanos(1_000))
                        .suspectAfter(Duration.ofSeconds(2))
                        .resetPollInterval(Duration.ofNanos(50_000))
                        .resetResendInterval(Duration.ofMillis(1))
                        .preArmedHandOver(lock.preArmed())
                        .releaseRead(lock.releaseRead())
                        .build(),
                SimulationOptions.Outages.NONE,
                SimulationOptions.Rare.NONE,
                wiring);
        return lock.keep() ? options.keeping(KeepSettings.DEFAULTS) : options;
    }

    /** Returns a cluster in which no lease ends while it is measured. */
    static SimulationOptions.Cluster cluster(int computeNodes, int clients, int locks, double zipf) {
        return cluster(computeNodes, clients, locks, zipf, 0, 0);
    }

    /**
     * Returns a cluster.
     *
     * @param entries of a queue, as far as the library has so many; zero for as many as there are compute nodes
     * @param lease its lease, or zero for one that does not end
     */
    static SimulationOptions.Cluster cluster(
            int computeNodes, int clients, int locks, double zipf, int entries, long lease) {
        int capacity = entries > 0
                ? Math.min(RecordLayout.MAX_CAPACITY, entries)
                : Math.min(RecordLayout.DEFAULT_CAPACITY, Math.max(2, Integer.highestOneBit(computeNodes * 2 - 1)));
        long lasts = lease == 0 ? HOUR : lease;
        return new SimulationOptions.Cluster(
                computeNodes,
                clients,
                locks,
                zipf,
                capacity,
                -1,
                computeNodes > capacity,
                lasts,
                lasts / 10,
                lasts / 5);
    }

    /** Returns the network of a model. */
    static SimulationOptions.Network network(AdapterModel model) {
        return new SimulationOptions.Network(
                model.verbOneWay(), model.jitter(), 0, 0, model.messageOneWay(), 0, 0, 0, 0, 0, 0, 0);
    }
}
