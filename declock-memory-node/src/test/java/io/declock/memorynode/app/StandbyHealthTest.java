// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.testkit.PostgresServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Health and metrics of a memory node's program tell who serves, and what the election of another candidate cost. */
@Timeout(120)
class StandbyHealthTest {
    @Test
    void aFailOverShowsInHealthAndMetrics() throws Exception {
        try (PostgresServer engine = PostgresServer.start();
                Candidates both = new Candidates("one", engine)) {
            RunningNode first = both.serving();
            RunningNode second = both.standingBy();
            assertThat(first.get("/actuator/health").body()).contains("\"role\":\"serving\"", "\"status\":\"UP\"");
            // The stand-by learns who serves from its own next attempt to be elected.
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> assertThat(second.get("/actuator/health").body())
                                    .contains("\"role\":\"standing by\"", "\"serves\":\"" + first.address())
                                    .contains("\"status\":\"UP\""));
            assertThat(first.get("/actuator/prometheus").body()).contains("declock_server_elections_total 1.0");
            assertThat(second.get("/actuator/prometheus").body()).contains("declock_server_elections_total 0.0");
            try (ComputeNode service = service(both.address());
                    LockHandle held = service.acquire(LockRequest.write("order:1"));
                    LockHandle also = service.acquire(LockRequest.read("order:2"))) {
                both.endServing();
                await().atMost(Duration.ofSeconds(20))
                        .untilAsserted(() -> assertThat(
                                        second.get("/actuator/prometheus").body())
                                .contains("declock_server_elections_total 1.0")
                                .contains("declock_server_depositions_total 0.0")
                                .contains("declock_server_holds_restored_total 2.0")
                                .contains("declock_server_holds_contradicted_total 0.0")
                                .containsPattern("declock_server_grace_seconds [0-9.E-]*[1-9]"));
                assertThat(second.get("/actuator/health").body()).contains("\"role\":\"serving\"", "\"services\":1");
                assertThat(held.isValid()).isTrue();
                assertThat(also.isValid()).isTrue();
            }
        }
    }

    private static ComputeNode service(String addresses) throws InterruptedException {
        NodeCounters counters = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .settings(ComputeNodeSettings.builder()
                        .lease(Duration.ofSeconds(20))
                        .build())
                .memoryNodes(List.of(MemoryNodeAddress.parse(addresses)))
                .fabric(TcpFabric.open(TcpFabricSettings.DEFAULTS, counters))
                .counters(counters)
                .build();
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
        return node;
    }
}
