// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.worker.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** DecLock is judged by the fastest set-up that ran under the same load. */
class JudgementTest {
    private static final Workload HOT = Workload.oneLock(4, 8, 0, Duration.ZERO);
    private static final Workload OTHER = Workload.oneLock(4, 1, 0, Duration.ZERO);

    private final Outcome outcome = new Outcome("some scenario");

    private void ran(Peer peer, Workload workload, long cycles, long waitNanos) {
        Histogram none = new Histogram(1_000_000_000L, 3);
        Histogram waits = new Histogram(1_000_000_000L, 3);
        waits.recordValue(waitNanos);
        outcome.add(new RunResult(
                peer,
                "",
                workload,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                List.of(cycles),
                none,
                waits,
                none,
                cycles,
                cycles,
                0,
                "",
                Map.of()));
    }

    @Test
    void theFastestSetUpOfTheSameLoadJudges() {
        ran(Peer.JVM_FAIR, HOT, 9000, 10);
        ran(Peer.DECLOCK, HOT, 1000, 2000);
        ran(Peer.HAZELCAST, HOT, 200, 5000);
        ran(Peer.HAZELCAST_SERVER, HOT, 400, 1000);
        ran(Peer.SPRING_REDIS, OTHER, 5000, 1000);
        assertThat(outcome.judgements()).singleElement().satisfies(judgement -> {
            assertThat(judgement.fastest().peer()).isEqualTo(Peer.HAZELCAST_SERVER);
            assertThat(judgement.toMap())
                    .containsEntry("fastestPeer", "hazelcast-server")
                    .containsEntry("cyclesPerSecondRatio", 2.5);
        });
        assertThat(outcome.toString())
                .contains("fastest peer beside declock: hazelcast-server; 2.50 times its cycles/s, 2.00 times its p99");
    }

    @Test
    void withoutPeersNothingIsJudged() {
        ran(Peer.DECLOCK, HOT, 1000, 2000);
        ran(Peer.REDISSON, HOT, 0, 2000);
        assertThat(outcome.judgements()).isEmpty();
        assertThat(outcome.toString()).doesNotContain("fastest peer");
    }
}
