// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.Node;
import io.declock.testkit.Needs;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * The same faults upon containers: killed, paused, taken off their network. Where there is no Docker the same scenarios still run
 * upon processes, in {@link ProcessFaultsIT}.
 */
class ContainerFaultsIT extends FaultScenarios<Node> {
    private static final Duration LEASE = Duration.ofMillis(1500);

    @Override
    Cluster<Node> start() {
        Needs.that(
                () -> DockerClientFactory.instance().isDockerAvailable(),
                "ContainerFaultsIT",
                "a Docker daemon that answers (Debian: apt-get install docker.io; dockerd &). The same faults were tried on"
                        + " plain processes");
        try {
            Images.buildBase();
            Images.buildMemoryNode();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return Cluster.on(new ContainerPlatform(LEASE));
    }

    @Override
    protected boolean killsAtOnce() {
        return false;
    }

    @Test
    void theMemoryNodesImageServesAndTellsItsHealth() throws Exception {
        try (GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(Images.MEMORY_NODE))) {
            container
                    .withEnv("DECLOCK_MEMORYNODE_ID", "locks-1")
                    .withEnv("DECLOCK_MEMORYNODE_SECRET", "a secret of containers")
                    .withEnv("DECLOCK_MEMORYNODE_WAITOUTOLDSESSIONS", "false")
                    .withEnv("MANAGEMENT_ENDPOINT_HEALTH_SHOWDETAILS", "always")
                    .withExposedPorts(7420, 7421)
                    .waitingFor(Wait.forHttp("/actuator/health/readiness")
                            .forPort(7421)
                            .withStartupTimeout(Duration.ofMinutes(2)))
                    .start();
            HttpResponse<String> health = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(
                                            "http://127.0.0.1:" + container.getMappedPort(7421) + "/actuator/health"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body())
                    .contains("\"id\":\"locks-1\"", "\"secret\":true")
                    .doesNotContain("a secret of containers");
            assertThat(container
                            .execInContainer("/opt/java/bin/java", "-version")
                            .getExitCode())
                    .isZero();
        }
    }
}
