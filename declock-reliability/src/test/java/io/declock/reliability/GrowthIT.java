// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import io.declock.reliability.cluster.SpreadPlatform;
import io.declock.reliability.ledger.Referee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node is added, another one removed and stopped, while services work: no acquisition fails, and no hold is lost (rules M1 to M6). */
@Timeout(300)
class GrowthIT {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final int LOCKS = 24;

    @Test
    void noAcquisitionFails() {
        SpreadPlatform platform = new SpreadPlatform(LEASE, 2);
        try (Cluster<Node> cluster = Cluster.on(platform)) {
            List<Node> nodes = new ArrayList<>(cluster.workers("one", "two", "three"));
            nodes.forEach(node -> node.worker().load(0, LOCKS, 4, 40));
            for (int i = 0; i < nodes.size(); i++) {
                for (int lock = 0; lock < 4; lock++) {
                    nodes.get(i).worker().take("kept-" + lock, LOCKS + 4 * i + lock, true);
                }
            }
            long began = System.nanoTime();
            Cluster.pause(Duration.ofSeconds(1));
            assertThat(platform.nodes("add", platform.address(2))).contains("Done: list 1 of memory nodes");
            Cluster.pause(Duration.ofSeconds(1));
            // Its configuration names the first two.
            Node late = cluster.workers("late").get(0);
            late.worker().load(0, LOCKS, 4, 40);
            nodes.add(late);
            assertThat(platform.nodes("remove", "mn-0")).contains("'mn-0' is not used any more and may be stopped");
            platform.stop(0);
            Cluster.pause(Duration.ofSeconds(2));
            for (Node node : nodes.subList(0, 3)) {
                for (int lock = 0; lock < 4; lock++) {
                    assertThat(node.worker().release("kept-" + lock)).isEqualTo("released");
                }
            }
            nodes.forEach(node -> node.worker().tell("calm"));
            nodes.forEach(node -> node.worker().await("calm", cluster.bound()));
            Referee.Verdict verdict = cluster.judge(began);
            System.out.printf(
                    Locale.ROOT,
                    "a memory node added and another one removed under load: %d sections, %d lost, longest wait %d ms%n",
                    verdict.sections(),
                    verdict.lost(),
                    TimeUnit.NANOSECONDS.toMillis(verdict.longestWaitNanos()));
            assertThat(verdict.lost()).isZero();
            // A second on a machine that does nothing else.
            assertThat(verdict.longestWaitNanos()).isLessThan(TimeUnit.SECONDS.toNanos(3));
            assertThat(verdict.bookings()).isGreaterThan(100);
            nodes.forEach(node -> node.worker().leave());
            cluster.dismiss(nodes);
        }
    }
}
