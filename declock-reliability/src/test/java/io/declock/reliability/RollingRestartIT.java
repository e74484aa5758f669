// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import io.declock.reliability.cluster.SpreadPlatform;
import io.declock.reliability.ledger.Referee;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three memory nodes are restarted in good order, one after the other, while services work: no acquisition fails, and no hold is lost. */
@Timeout(300)
class RollingRestartIT {
    /** Longer than the memory node's program takes to start on a busy machine. */
    private static final Duration LEASE = Duration.ofSeconds(20);

    private static final int LOCKS = 24;

    @Test
    void noAcquisitionFails() {
        SpreadPlatform platform = new SpreadPlatform(LEASE);
        try (Cluster<Node> cluster = Cluster.on(platform)) {
            List<Node> three = cluster.workers("one", "two", "three");
            three.forEach(node -> node.worker().load(0, LOCKS, 4, 40));
            for (int i = 0; i < three.size(); i++) {
                // On whichever memory node they are.
                for (int lock = 0; lock < 4; lock++) {
                    three.get(i).worker().take("kept-" + lock, LOCKS + 4 * i + lock, true);
                }
            }
            long began = System.nanoTime();
            for (int i = 0; i < SpreadPlatform.MEMORY_NODES; i++) {
                Cluster.pause(Duration.ofSeconds(1));
                platform.restart(i);
            }
            Cluster.pause(Duration.ofSeconds(1));
            for (Node node : three) {
                for (int lock = 0; lock < 4; lock++) {
                    assertThat(node.worker().release("kept-" + lock)).isEqualTo("released");
                }
            }
            three.forEach(node -> node.worker().tell("calm"));
            three.forEach(node -> node.worker().await("calm", cluster.bound()));
            Referee.Verdict verdict = cluster.judge(began);
            System.out.printf(
                    Locale.ROOT,
                    "three memory nodes restarted one by one under load: %d sections, %d lost, longest wait %d ms%n",
                    verdict.sections(),
                    verdict.lost(),
                    TimeUnit.NANOSECONDS.toMillis(verdict.longestWaitNanos()));
            assertThat(verdict.lost()).isZero();
            assertThat(verdict.bookings()).isGreaterThan(100);
            three.forEach(node -> node.worker().leave());
            cluster.dismiss(three);
        }
    }
}
