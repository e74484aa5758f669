// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.DecLock;
import io.declock.LockRequest;
import io.declock.MemoryNodeRefusedException;
import io.declock.TcpFabricSettings;
import io.declock.reliability.cluster.Patience;
import io.declock.testkit.Ports;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The memory node's program with the environment of a pod of the chart, and the pod's probes. */
@Timeout(200)
class StartedPodIT {
    private static final Patience PATIENCE = new Patience(Duration.ofSeconds(60));

    @TempDir
    private Path directory;

    @Test
    void aNewPodIsAliveAtOnceReadyAfterTheLongestLeaseAndReadySoonAfterItsNextStart() throws Exception {
        Pod pod = Pod.of(
                Manifests.of(Chart.render("memoryNodes=1", "maxLease=30s"), StatefulSet.class)
                        .get(0),
                0);
        int port = Ports.free();
        try (StartedPod first = StartedPod.start(pod, directory, port)) {
            assertThat(first.isAlive()).isTrue();
            assertThat(first.isReady()).isFalse();
            assertThat(Ports.accepts(port)).isTrue();
            PATIENCE.until(first::isReady, first::log);
            assertThat(first.isAlive()).isTrue();
            assertThat(first.log())
                    .contains(
                            "Memory node '" + Chart.NAME + "-0'",
                            "100000 lock records with a queue capacity of 64",
                            "secret set, leases up to PT30S");
            lock(port, Pod.SECRET);
            assertThatThrownBy(() -> lock(port, "another secret, which is no use"))
                    .isInstanceOf(MemoryNodeRefusedException.class);
            first.terminate();
        }
        try (StartedPod second = StartedPod.start(pod, directory, port)) {
            // The list of members is complete since the first one joined, and nobody is left on it.
            new Patience(Duration.ofSeconds(10)).until(second::isReady, second::log);
        }
    }

    /** Does what a service does. */
    private static void lock(int port, String secret) throws InterruptedException {
        try (DecLock service = DecLock.builder()
                .memoryNodes("tcp://127.0.0.1:" + port)
                .tcp(TcpFabricSettings.builder().secret(secret).build())
                .open()) {
            service.acquire(LockRequest.write("a lock").waitTime(Duration.ofSeconds(20)))
                    .close();
        }
    }
}
