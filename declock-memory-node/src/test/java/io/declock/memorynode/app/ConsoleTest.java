// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.TcpFabricSettings;
import io.declock.internal.node.ComputeNode;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.json.BasicJsonTester;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Who may see the console and what it shows. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class ConsoleTest {
    private static final String STATE = "/console/api/state";
    private static final String LOCKS = "management.endpoints.web.exposure.include=health,locks";
    private static final String ALLOWED = "management.endpoint.locks.access=unrestricted";
    private static final String VIEWER = "declock.memory-node.console.viewer-password=a viewer's password";

    private final BasicJsonTester json = new BasicJsonTester(getClass());

    private static int status(RunningNode node, String method, String path, String user, String password)
            throws Exception {
        return node.send(method, path, user, password).statusCode();
    }

    @Test
    void onlyHealthAndMetricsAreOpen() throws Exception {
        try (RunningNode node = RunningNode.start(LOCKS, ALLOWED, VIEWER)) {
            assertThat(status(node, "GET", "/actuator/health/liveness", "", "")).isEqualTo(200);
            for (String path : new String[] {STATE, "/console/index.html", "/actuator/locks", "/actuator/env", "/"}) {
                assertThat(status(node, "GET", path, "", "")).as(path).isEqualTo(401);
                assertThat(status(node, "GET", path, "operator", "a guess"))
                        .as(path)
                        .isEqualTo(401);
            }
            assertThat(status(node, "GET", STATE, "viewer", "a viewer's password"))
                    .isEqualTo(200);
            assertThat(status(node, "GET", "/actuator/locks", "viewer", "a viewer's password"))
                    .isEqualTo(200);
            assertThat(status(node, "DELETE", "/actuator/locks/default?name=x", "viewer", "a viewer's password"))
                    .isEqualTo(403);
            assertThat(status(node, "DELETE", "/actuator/locks/default?name=x", "operator", RunningNode.PASSWORD))
                    .isEqualTo(404);
        }
    }

    @Test
    void withoutAPasswordOneIsMadeAndLogged(CapturedOutput output) throws Exception {
        try (RunningNode node = RunningNode.start("declock.memory-node.console.operator-password=")) {
            Matcher made =
                    Pattern.compile("'operator' has the password (\\S+) until").matcher(output.getAll());
            assertThat(made.find()).isTrue();
            assertThat(made.group(1)).hasSize(24);
            assertThat(status(node, "GET", STATE, "operator", made.group(1))).isEqualTo(200);
            assertThat(status(node, "GET", STATE, "viewer", made.group(1))).isEqualTo(401);
        }
    }

    @Test
    void theStateHasLocksSessionsAndSamples() throws Exception {
        try (RunningNode node = RunningNode.start("declock.memory-node.records=1000");
                ComputeNode service = node.computeNode(TcpFabricSettings.DEFAULTS)) {
            assertThat(service.awaitReady(Duration.ofSeconds(20))).isTrue();
            try (LockHandle handle = service.acquire(LockRequest.write("report"), LockOwner.named("batch"))) {
                assertThat(handle.isValid()).isTrue();
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                    service.acquire(LockRequest.write("busy")).close();
                    String body = node.get(STATE).body();
                    assertThat(json.from(body))
                            .extractingJsonPathArrayValue("hottest[*].lock.name")
                            .contains("busy");
                    assertThat(json.from(body))
                            .extractingJsonPathArrayValue("samples")
                            .isNotEmpty();
                    assertThat(json.from(body))
                            .extractingJsonPathStringValue("waiting[0].name")
                            .isEqualTo("report");
                    assertThat(json.from(body))
                            .extractingJsonPathArrayValue("sessions")
                            .hasSize(1);
                });
            }
            assertThat(json.from(node.get(STATE + "?containing=rep").body()))
                    .extractingJsonPathArrayValue("waiting[*].name")
                    .containsExactly("report");
        }
    }

    @Test
    void thePageIsServedWithEverythingItNeeds() throws Exception {
        try (RunningNode node = RunningNode.start("declock.memory-node.records=1000")) {
            String page = node.get("/console/index.html").body();
            Matcher needed = Pattern.compile("(?:src|href)=\"([^d\"][^\"]*)\"").matcher(page);
            int count = 0;
            while (needed.find()) {
                String path = needed.group(1).startsWith("../")
                        ? needed.group(1).substring(2)
                        : "/console/" + needed.group(1);
                assertThat(node.get(path).statusCode()).as(path).isEqualTo(200);
                count++;
            }
            assertThat(count).isEqualTo(4);
        }
    }

    @Test
    void itCanBeSwitchedOff() throws Exception {
        try (RunningNode node = RunningNode.start("declock.memory-node.console.enabled=false")) {
            assertThat(node.get(STATE).statusCode()).isEqualTo(404);
            assertThat(node.get("/console/index.html").statusCode()).isEqualTo(404);
        }
    }
}
