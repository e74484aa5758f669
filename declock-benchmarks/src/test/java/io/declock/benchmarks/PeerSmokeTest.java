// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.benchmarks.harness.Coordinator;
import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.harness.RunSettings;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.peer.Tuning;
import io.declock.benchmarks.worker.Workload;
import io.declock.testkit.Needs;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that is compared still connects, locks and excludes: a moment of load for each, through the whole harness. */
class PeerSmokeTest {
    @ParameterizedTest
    @EnumSource(Peer.class)
    @Timeout(120)
    void locksAndExcludes(Peer peer) throws Exception {
        String missing = Coordinator.missing(peer);
        Needs.that(() -> missing == null, "benchmark of " + peer.label(), String.valueOf(missing));
        RunSettings settings =
                new RunSettings(Duration.ofMillis(200), Duration.ofMillis(300), RunSettings.JVM, Tuning.DEFAULTS);
        RunResult result = new Coordinator(settings, Coordinator.Task.LOCKS)
                .run(peer, new Workload(1, 2, 2, false, 0.5, 0.3, Duration.ZERO));
        assertThat(result.errors()).as(result.firstError()).isZero();
        assertThat(result.writesSeen()).isEqualTo(result.writesExpected());
        assertThat(result.writesSeen()).isPositive();
        assertThat(result.cycles()).hasSize(2);
    }
}
