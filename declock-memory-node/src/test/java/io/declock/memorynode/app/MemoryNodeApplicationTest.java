// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeRefusedException;
import io.declock.fabric.tcp.TcpFabricSettings;
import io.declock.node.ComputeNode;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The program as a whole: what it says, what it serves, what it tells about itself. */
@ExtendWith(OutputCaptureExtension.class)
class MemoryNodeApplicationTest {
    private static final String FRESH = "declock.memory-node.wait-out-old-sessions=false";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir
    Path folder;

    @Test
    void servesLocksAndTellsAboutItself(CapturedOutput output) throws Exception {
        Path portFile = folder.resolve("port");
        try (RunningNode running = RunningNode.start(
                        FRESH,
                        "declock.memory-node.id=mn-7",
                        "declock.memory-node.secret=s3cr3t-words",
                        "declock.memory-node.port-file=" + portFile);
                ComputeNode service = running.computeNode(TcpFabricSettings.DEFAULTS.withSecret("s3cr3t-words"))) {
            assertThat(Files.readString(portFile))
                    .isEqualTo("" + running.service().port());
            assertThat(output)
                    .contains("Memory node 'mn-7' (incarnation ")
                    .contains("serves tcp://127.0.0.1:" + running.service().port())
                    .contains("1000 lock records with a queue capacity of 64 in")
                    .contains("TLS off")
                    .contains("secret set")
                    .doesNotContain("Whoever reaches port");

            assertThat(service.awaitReady(PATIENCE)).isTrue();
            try (LockHandle handle = service.acquire(LockRequest.write("order:42"))) {
                assertThat(handle.isValid()).isTrue();
                HttpResponse<String> health = running.get("/actuator/health");
                assertThat(health.statusCode()).isEqualTo(200);
                assertThat(health.body())
                        .contains("\"memoryNode\":{\"details\":{\"id\":\"mn-7\"")
                        .contains("\"services\":1")
                        .contains("\"recordsInUse\":1")
                        .contains("\"recordsTotal\":1000");
            }
            assertThat(running.get("/actuator/health/readiness").statusCode()).isEqualTo(200);
            assertThat(running.get("/actuator/health/liveness").body()).doesNotContain("memoryNode");
            assertThat(running.get("/actuator/prometheus").body())
                    .contains("declock_server_sessions 1.0")
                    .contains("declock_server_records_used 1.0")
                    .contains("declock_server_records_capacity 1000.0")
                    .containsPattern("declock_server_operations_total\\{verb=\"fetch_and_add\"} [1-9]")
                    .contains("declock_server_joins_refused_total 0.0")
                    .contains("declock_server_frames_bad_total 0.0")
                    .contains("declock_server_records_reclaimed_total 0.0");
            assertThat(output).doesNotContain("s3cr3t-words");
        }
        assertThat(output).contains("Memory node 'mn-7' stopped; services still joined: 0");
    }

    @Test
    void refusesWhoDoesNotKnowTheSecret() throws Exception {
        try (RunningNode running = RunningNode.start(FRESH, "declock.memory-node.secret=right");
                ComputeNode service = running.computeNode(TcpFabricSettings.DEFAULTS.withSecret("wrong"))) {
            assertThatThrownBy(() -> service.awaitReady(PATIENCE)).isInstanceOf(MemoryNodeRefusedException.class);
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(running.get("/actuator/prometheus").body())
                                    .containsPattern("declock_server_joins_refused_total [1-9]"));
            assertThat(running.service().status().sessions()).isEmpty();
        }
    }

    @Test
    void isOutOfServiceWhileAnEarlierLifeMayStillHaveLocks(CapturedOutput output) throws Exception {
        try (RunningNode running = RunningNode.start("declock.memory-node.max-lease=60s")) {
            HttpResponse<String> health = running.get("/actuator/health");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body())
                    .contains("OUT_OF_SERVICE")
                    .contains("ms for locks that an earlier life may have granted");
            assertThat(running.get("/actuator/health/readiness").statusCode()).isEqualTo(503);
            assertThat(running.get("/actuator/health/liveness").statusCode()).isEqualTo(200);
            assertThat(output).contains("Services may join once").contains("Whoever reaches port");
        }
    }

    @Test
    void isUpOnceTheLongestLeaseHasRunOut() throws Exception {
        try (RunningNode running =
                RunningNode.start("declock.memory-node.max-lease=1s", "declock.memory-node.lease-margin=0s")) {
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(running.get("/actuator/health").statusCode())
                                    .isEqualTo(200));
        }
    }
}
