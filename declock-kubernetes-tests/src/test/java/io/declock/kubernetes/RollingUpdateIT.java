// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import io.declock.reliability.cluster.Patience;
import io.declock.reliability.cluster.SpreadPlatform;
import io.declock.reliability.ledger.Referee;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A rolling update of the chart's StatefulSet, on processes of this machine that have the environments of its pods: the last pod first, and
 * the next one when the readiness probe of the one before has been answered for {@code minReadySeconds}. No acquisition fails.
 */
@Timeout(400)
class RollingUpdateIT {
    /** Longer than the memory node's program takes to start on a busy machine. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final Patience READY = new Patience(Duration.ofSeconds(60));
    private static final int LOCKS = 24;

    private final StatefulSet set = Manifests.of(
                    Chart.render("records=1000", "maxLease=" + LEASE.toSeconds() + "s"), StatefulSet.class)
            .get(0);

    @Test
    void noAcquisitionFailsWhilePodsAreReplaced() {
        List<Map<String, String>> environments = IntStream.range(0, SpreadPlatform.MEMORY_NODES)
                .mapToObj(ordinal -> Pod.of(set, ordinal).environment())
                .toList();
        SpreadPlatform platform = new SpreadPlatform(LEASE, environments, Pod.SECRET);
        try (Cluster<Node> cluster = Cluster.on(platform)) {
            List<Node> services = cluster.workers("one", "two");
            services.forEach(node -> node.worker().load(0, LOCKS, 4, 40));
            for (int i = 0; i < services.size(); i++) {
                // On whichever memory node they are.
                for (int lock = 0; lock < 6; lock++) {
                    services.get(i).worker().take("kept-" + lock, LOCKS + 6 * i + lock, true);
                }
            }
            long began = System.nanoTime();
            for (int ordinal = SpreadPlatform.MEMORY_NODES - 1; ordinal >= 0; ordinal--) {
                platform.restart(ordinal);
                awaitReady(platform.managementPort(ordinal));
                Cluster.pause(Duration.ofSeconds(set.getSpec().getMinReadySeconds()));
            }
            for (Node node : services) {
                for (int lock = 0; lock < 6; lock++) {
                    assertThat(node.worker().release("kept-" + lock)).isEqualTo("released");
                }
            }
            services.forEach(node -> node.worker().tell("calm"));
            services.forEach(node -> node.worker().await("calm", cluster.bound()));
            Referee.Verdict verdict = cluster.judge(began);
            System.out.printf(
                    Locale.ROOT,
                    "the chart's rolling update under load: %d sections, %d lost, longest wait %d ms%n",
                    verdict.sections(),
                    verdict.lost(),
                    TimeUnit.NANOSECONDS.toMillis(verdict.longestWaitNanos()));
            assertThat(verdict.lost()).isZero();
            assertThat(verdict.bookings()).isGreaterThan(100);
            services.forEach(node -> node.worker().leave());
            cluster.dismiss(services);
        }
    }

    private void awaitReady(int port) {
        String path =
                Pod.of(set, 0).container().getReadinessProbe().getHttpGet().getPath();
        READY.until(() -> Probe.status(port, path) == 200, () -> "not ready: " + Probe.status(port, path));
    }
}
