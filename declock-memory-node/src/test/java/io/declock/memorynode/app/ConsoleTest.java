// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.KeepSettings;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.TcpFabricSettings;
import io.declock.internal.node.ComputeNode;
import io.declock.memorynode.app.console.ConsoleProperties;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.json.BasicJsonTester;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The console shows what it should to those who may see it. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class ConsoleTest {
    private static final String STATE = "/console/api/state";
    private static final String ALLOWED = "management.endpoint.locks.access=unrestricted";
    private static final String VIEWER = "declock.memory-node.console.viewer-password=a viewer's password";

    private final BasicJsonTester json = new BasicJsonTester(getClass());

    private static int status(RunningNode node, String method, String path, String user, String password)
            throws Exception {
        return node.send(method, path, user, password).statusCode();
    }

    @Test
    void healthInfoAndMetricsNeedNoPasswordAndAllElseDoes() throws Exception {
        try (RunningNode node = RunningNode.start("management.endpoints.web.exposure.include=*", ALLOWED, VIEWER)) {
            for (String path : new String[] {
                "health",
                "health/liveness",
                "health/readiness",
                "info",
                "metrics",
                "metrics/jvm.memory.used",
                "prometheus"
            }) {
                assertThat(status(node, "GET", "/actuator/" + path, "", ""))
                        .as(path)
                        .isIn(200, 503);
            }
            for (String path : new String[] {
                STATE,
                "/console",
                "/console/index.html",
                "/actuator/locks",
                "/actuator/locks/default?name=x",
                "/actuator/env",
                "/"
            }) {
                for (String password : new String[] {"", "a guess"}) {
                    HttpResponse<String> response = node.send("GET", path, "operator", password);
                    assertThat(response.statusCode()).as(path).isEqualTo(401);
                    assertThat(response.body()).as(path).doesNotContain("default", "sessions", "lock");
                }
            }
            assertThat(status(node, "DELETE", "/actuator/locks/default?name=x", "", ""))
                    .isEqualTo(401);
        }
    }

    @Test
    void aViewerLooksAndAnOperatorEndsHolds() throws Exception {
        try (RunningNode node = RunningNode.start("management.endpoints.web.exposure.include=*", ALLOWED, VIEWER)) {
            String password = "a viewer's password";
            assertThat(json.from(node.send("GET", STATE, "viewer", password).body()))
                    .extractingJsonPathStringValue("cannotEnd")
                    .isNotEmpty();
            assertThat(json.from(node.get(STATE).body()))
                    .extractingJsonPathStringValue("cannotEnd")
                    .isEmpty();
            assertThat(status(node, "GET", "/actuator/locks", "viewer", password))
                    .isEqualTo(200);
            assertThat(status(node, "GET", "/actuator/env", "viewer", password)).isEqualTo(403);
            assertThat(status(node, "DELETE", "/actuator/locks/default?name=x", "viewer", password))
                    .isEqualTo(403);
            assertThat(status(node, "DELETE", "/actuator/locks/default?name=x", "operator", RunningNode.PASSWORD))
                    .isEqualTo(404);
        }
    }

    @Test
    void aViewerDoesNotExistWithoutAPassword() throws Exception {
        try (RunningNode node = RunningNode.start("declock.memory-node.console.viewer-password=")) {
            assertThat(status(node, "GET", STATE, "viewer", " ")).isEqualTo(401);
        }
    }

    @Test
    void thePageIsToldWhatItCannotAsk() throws Exception {
        try (RunningNode node = RunningNode.start("management.endpoints.web.exposure.include=health")) {
            assertThat(json.from(node.get(STATE).body())).hasEmptyJsonPathValue("locksPath");
        }
        try (RunningNode node = RunningNode.start("management.endpoints.web.base-path=/manage")) {
            assertThat(json.from(node.get(STATE).body()))
                    .extractingJsonPathStringValue("locksPath")
                    .isEqualTo("/manage/locks");
            assertThat(json.from(node.get(STATE).body()))
                    .extractingJsonPathStringValue("cannotEnd")
                    .contains("management.endpoint.locks.access");
            assertThat(status(node, "GET", "/manage/health/liveness", "", "")).isEqualTo(200);
            assertThat(status(node, "GET", "/manage/locks", "", "")).isEqualTo(401);
        }
    }

    @Test
    void aRequestThatAPageOfAnotherSiteCanSendChangesNothing() throws Exception {
        try (RunningNode node = RunningNode.start(
                "management.endpoints.web.exposure.include=*",
                ALLOWED,
                "management.endpoint.shutdown.access=unrestricted")) {
            String lock = "/actuator/locks/default?name=x";
            String[][] signs = {
                {"Origin", "http://elsewhere.example"},
                {"Origin", "null"},
                {"Sec-Fetch-Site", "cross-site"},
                {"Referer", "http://a.example/"}
            };
            for (String[] sign : signs) {
                for (String method : new String[] {"POST", "DELETE", "PUT", "PATCH"}) {
                    for (String path : new String[] {lock, "/actuator/shutdown", "/actuator/loggers/io.declock"}) {
                        assertThat(node.send(method, path, "operator", RunningNode.PASSWORD, sign)
                                        .statusCode())
                                .as(method + " " + path + " " + sign[0])
                                .isEqualTo(403);
                    }
                }
            }
            // A form can only say in a field that it means DELETE.
            assertThat(node.send("POST", lock + "&_method=DELETE", "operator", RunningNode.PASSWORD)
                            .statusCode())
                    .isEqualTo(405);
            HttpResponse<String> preflight = node.send(
                    "OPTIONS",
                    lock,
                    "",
                    "",
                    "Origin",
                    "http://elsewhere.example",
                    "Access-Control-Request-Method",
                    "DELETE",
                    "Access-Control-Request-Headers",
                    "x-requested-with");
            assertThat(preflight.statusCode()).isGreaterThanOrEqualTo(400);
            assertThat(preflight.headers().firstValue("Access-Control-Allow-Origin"))
                    .isEmpty();
            assertThat(node.send(
                                    "DELETE",
                                    lock,
                                    "operator",
                                    RunningNode.PASSWORD,
                                    "Origin",
                                    "http://127.0.0.1",
                                    "X-Requested-With",
                                    "console")
                            .statusCode())
                    .isEqualTo(404);
            assertThat(node.isRunning()).isTrue();
        }
    }

    @Test
    void theBrowserIsToldToRunNothingElse() throws Exception {
        try (RunningNode node = RunningNode.start("declock.memory-node.wait-out-old-sessions=false")) {
            assertThat(node.get("/console/index.html").headers().firstValue("Content-Security-Policy"))
                    .hasValueSatisfying(policy -> assertThat(policy)
                            .contains(
                                    "default-src 'none'",
                                    "script-src 'self'",
                                    "style-src 'self'",
                                    "frame-ancestors 'none'")
                            .doesNotContain("unsafe"));
        }
    }

    @Test
    void withoutAPasswordOneIsMadeAndLoggedOnce(CapturedOutput output) throws Exception {
        try (RunningNode node = RunningNode.start("declock.memory-node.console.operator-password=")) {
            List<MatchResult> made = Pattern.compile("WARN .* 'operator' has the password (\\S+) until")
                    .matcher(output.getAll())
                    .results()
                    .toList();
            assertThat(made).hasSize(1);
            String password = made.get(0).group(1);
            assertThat(password).hasSize(24);
            assertThat(status(node, "GET", STATE, "operator", password)).isEqualTo(200);
            assertThat(status(node, "GET", STATE, "viewer", password)).isEqualTo(401);
            assertThat(output.getAll().split(Pattern.quote(password), -1)).hasSize(2);
        }
    }

    @Test
    void aConfiguredPasswordIsShownNowhere(CapturedOutput output) throws Exception {
        try (RunningNode node = RunningNode.start(
                "management.endpoints.web.exposure.include=*",
                VIEWER,
                "management.endpoint.configprops.show-values=always",
                "management.endpoint.env.show-values=always")) {
            String shown = node.get("/actuator/configprops").body()
                    + node.get("/actuator/env").body()
                    + node.bean(ConsoleProperties.class)
                    + output;
            assertThat(shown)
                    .contains("console.operator-password")
                    .doesNotContain(RunningNode.PASSWORD, "a viewer's password");
        }
    }

    @Test
    void theStateHasLocksSessionsAndSamples() throws Exception {
        try (RunningNode node = RunningNode.start("declock.memory-node.wait-out-old-sessions=false");
                // The memory node does not see the uses of a lock that a service keeps.
                ComputeNode service = node.computeNode(
                        TcpFabricSettings.DEFAULTS,
                        ComputeNodeSettings.builder().keep(KeepSettings.OFF).build())) {
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
        try (RunningNode node = RunningNode.start("declock.memory-node.wait-out-old-sessions=false")) {
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
