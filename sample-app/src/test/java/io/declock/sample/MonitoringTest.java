// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.DistributedReadWriteLock;
import io.declock.LockRequest;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Needs;
import io.declock.testkit.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The alerts and the dashboard of {@code monitoring}, with a real Prometheus that scrapes this application. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"spring.datasource.url=jdbc:h2:mem:monitoring;DB_CLOSE_DELAY=-1", "declock.embedded.port=0"})
@Timeout(120)
class MonitoringTest {
    private static final Path MONITORING =
            Path.of("").toAbsolutePath().resolveSibling("monitoring").normalize();
    private static final Path ALERTS = MONITORING.resolve("declock-alerts.yml");
    private static final Path DASHBOARD = MONITORING.resolve("declock-dashboard.json");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern METRIC = Pattern.compile("\\bdeclock_[a-z0-9_]+");

    @LocalServerPort
    private int port;

    @Autowired
    private DistributedReadWriteLock locks;

    @TempDir
    private Path temporary;

    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeEach
    void useALock() throws InterruptedException {
        locks.acquire(LockRequest.write("order:42")).close();
    }

    @Test
    void theAlertsFireWhenTheyAreToAndOnlyThen() throws Exception {
        Needs.program("promtool", "the alerts of Prometheus", "prometheus");
        assertThat(promtool("check", "rules", ALERTS.toString())).contains("SUCCESS");
        assertThat(promtool(
                        "test",
                        "rules",
                        MONITORING.resolve("declock-alerts-test.yml").toString()))
                .contains("SUCCESS");
    }

    private static String promtool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        ChildProcess.Finished finished = ChildProcess.run(new ProcessBuilder(command), PATIENCE);
        assertThat(finished.status()).as(finished.text()).isZero();
        return finished.text();
    }

    /** Metrics of memory nodes are compared by the memory node's own tests. */
    @Test
    void everyMetricThatIsAskedForExists() throws Exception {
        Set<String> exported = scrape().lines()
                .filter(line -> line.startsWith("declock_"))
                .map(line -> line.split("[{ ]")[0])
                .collect(Collectors.toSet());
        Set<String> asked = new TreeSet<>();
        for (String expression : expressions()) {
            METRIC.matcher(expression).results().forEach(metric -> asked.add(metric.group()));
        }
        asked.removeIf(metric -> metric.startsWith("declock_server_"));
        assertThat(asked).hasSizeGreaterThan(15);
        assertThat(exported).containsAll(asked);
    }

    @Test
    void prometheusLoadsTheAlertsAndAnswersEveryPanel() throws Exception {
        Needs.program("prometheus", "a Prometheus that scrapes the sample", "prometheus");
        Path configuration = temporary.resolve("prometheus.yml");
        Files.writeString(configuration, """
                global: {scrape_interval: 1s, evaluation_interval: 1s}
                rule_files: ["%s"]
                scrape_configs:
                  - job_name: shop
                    metrics_path: /actuator/prometheus
                    static_configs: [{targets: ["127.0.0.1:%d"]}]
                """.formatted(ALERTS, port));
        int own = Ports.free();
        ProcessBuilder prometheus = new ProcessBuilder(
                "prometheus",
                "--config.file=" + configuration,
                "--storage.tsdb.path=" + temporary.resolve("data"),
                "--web.listen-address=127.0.0.1:" + own);
        try (ChildProcess running =
                ChildProcess.logged("prometheus", prometheus, temporary.resolve("prometheus.log"))) {
            running.awaitPort(own, PATIENCE);
            // Rates need two samples.
            await().atMost(PATIENCE).until(() -> hasResult(own, "rate(declock_grants_total[1m])"));
            for (String expression : expressions()) {
                assertThat(query(own, expression)).as(expression).contains("\"status\":\"success\"");
            }
            assertThat(hasResult(own, "declock_memory_node_up == 1")).isTrue();
            String rules = get("http://127.0.0.1:" + own + "/api/v1/rules");
            assertThat(rules).contains("DecLockHoldsLost").doesNotContain("\"health\":\"err\"");
            String alerts = get("http://127.0.0.1:" + own + "/api/v1/alerts");
            // This one tells the truth where the tests share a busy machine.
            String others = alerts.replace("\"alertname\":\"DecLockEventLoopLate\"", "");
            assertThat(alerts).contains("\"alerts\":[");
            assertThat(others).as("alerts of an application that is well").doesNotContain("\"alertname\"");
        }
    }

    private boolean hasResult(int prometheus, String expression) throws Exception {
        String answer = query(prometheus, expression);
        return answer.contains("\"status\":\"success\"") && !answer.contains("\"result\":[]");
    }

    private String query(int prometheus, String expression) throws Exception {
        return get("http://127.0.0.1:" + prometheus + "/api/v1/query?query="
                + URLEncoder.encode(expression, StandardCharsets.UTF_8));
    }

    private String scrape() throws Exception {
        return get("http://127.0.0.1:" + port + "/actuator/prometheus");
    }

    private String get(String uri) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(uri)).build(), BodyHandlers.ofString())
                .body();
    }

    /** Returns what the panels and the alerts ask for, as Grafana sends it. */
    private static List<String> expressions() throws IOException {
        List<String> expressions = new ArrayList<>();
        Map<String, Object> dashboard = JsonParserFactory.getJsonParser().parseMap(Files.readString(DASHBOARD));
        for (Object panel : (List<?>) dashboard.get("panels")) {
            Object targets = ((Map<?, ?>) panel).get("targets");
            if (targets instanceof List<?> several) {
                for (Object target : several) {
                    String expression = String.valueOf(((Map<?, ?>) target).get("expr"));
                    expressions.add(expression.replace("$instance", ".*").replace("$__rate_interval", "1m"));
                }
            }
        }
        assertThat(expressions).hasSizeGreaterThan(15);
        Pattern.compile("expr:(?: \\|)?\\s(.*?)(?=\\n +(?:for|labels):)", Pattern.DOTALL)
                .matcher(Files.readString(ALERTS))
                .results()
                .forEach(alert -> expressions.add(alert.group(1).strip()));
        return expressions;
    }
}
