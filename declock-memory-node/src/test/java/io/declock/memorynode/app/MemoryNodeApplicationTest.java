// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeRefusedException;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.JoinRequest;
import io.declock.spi.NodeSet;
import io.declock.spi.SessionListener;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.Environment;

/** The program as a whole: what it says, what it serves, what it tells about itself. */
@ExtendWith(OutputCaptureExtension.class)
class MemoryNodeApplicationTest {
    private static final String FRESH = "declock.memory-node.wait-out-old-sessions=false";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir
    Path folder;

    @Test
    void aServiceWithAnotherListOfMemoryNodesIsRefusedAndKeepsNobodyOut() throws Exception {
        try (RunningNode running = RunningNode.start(
                        "declock.memory-node.wait-out-old-sessions=false", "declock.memory-node.nodes=test,other");
                ComputeNode alone = running.computeNode(TcpFabricSettings.DEFAULTS)) {
            assertThatThrownBy(() -> alone.acquire(LockRequest.write("x").waitTime(PATIENCE)))
                    .isInstanceOf(MemoryNodeRefusedException.class)
                    .hasMessageContaining("one of 2 memory nodes that are used together");
        }
        try (RunningNode running = RunningNode.start(
                        "declock.memory-node.wait-out-old-sessions=false", "declock.memory-node.nodes=test");
                ComputeNode alone = running.computeNode(TcpFabricSettings.DEFAULTS)) {
            alone.acquire(LockRequest.write("x").waitTime(PATIENCE)).close();
        }
    }

    @Test
    void onlyOnThisMachineHealthTellsDetails() throws Exception {
        try (RunningNode running = RunningNode.start("server.address=0.0.0.0")) {
            assertThat(running.get("/actuator/health").body())
                    .contains("\"status\":")
                    .doesNotContain("details", "mn-7", "test");
        }
        try (RunningNode running =
                RunningNode.start("server.address=0.0.0.0", "management.endpoint.health.show-details=always")) {
            assertThat(running.get("/actuator/health").body()).contains("details");
        }
    }

    @Test
    void byDefaultActuatorIsServedOnTheLoopbackInterfaceOnly() throws Exception {
        try (RunningNode running = RunningNode.start()) {
            int port = Integer.parseInt(running.bean(Environment.class).getProperty("local.server.port", "0"));
            for (InetAddress address : othersSee()) {
                try (Socket socket = new Socket()) {
                    assertThatThrownBy(() -> socket.connect(new InetSocketAddress(address, port), 2_000))
                            .isInstanceOf(IOException.class);
                }
            }
            assertThat(running.get("/actuator/health").body()).contains("details");
        }
    }

    private static List<InetAddress> othersSee() throws IOException {
        // A program that listens on every interface answers on 127.0.0.2, too, also on a machine without a network.
        return Stream.concat(
                        Stream.of(InetAddress.getByName("127.0.0.2")),
                        NetworkInterface.networkInterfaces()
                                .flatMap(NetworkInterface::inetAddresses)
                                .filter(address -> !address.isLoopbackAddress() && address instanceof Inet4Address))
                .toList();
    }

    @Test
    void servesLocksAndTellsAboutItself(CapturedOutput output) throws Exception {
        Path portFile = folder.resolve("port");
        try (RunningNode running = RunningNode.start(
                        FRESH,
                        "declock.memory-node.id=mn-7",
                        "declock.memory-node.secret=s3cr3t-words-of-many",
                        "declock.memory-node.port-file=" + portFile);
                ComputeNode service = running.computeNode(TcpFabricSettings.builder()
                        .secret("s3cr3t-words-of-many")
                        .build())) {
            assertThat(Files.readString(portFile))
                    .isEqualTo("" + running.service().port());
            assertThat(output)
                    .contains("Memory node 'mn-7' (incarnation ")
                    .contains("serves tcp://127.0.0.1:" + running.service().port())
                    .contains("1000 lock records with a queue capacity of 64 in")
                    .contains("TLS off")
                    .contains("secret set")
                    .doesNotContain("Every program that reaches port");

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
                    .contains("declock_server_twins_total 0.0")
                    .contains("declock_server_sessions_resumed_total 0.0")
                    .containsPattern("declock_server_results_memory_bytes [1-9]")
                    .contains("declock_server_records_reclaimed_total 0.0");
            assertThat(output).doesNotContain("s3cr3t-words-of-many");
        }
        assertThat(output).contains("Memory node 'mn-7' stopped; services still joined: 0");
    }

    @Test
    void nothingShowsTheSecret(CapturedOutput output) throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("io.declock");
        try (RunningNode running = RunningNode.start(
                FRESH,
                "declock.memory-node.id=mn",
                "declock.memory-node.secret=" + Secrets.RIGHT,
                "logging.level.io.declock=trace",
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.configprops.show-values=always",
                "management.endpoint.env.show-values=always")) {
            try (ComputeNode right = running.computeNode(
                            TcpFabricSettings.builder().secret(Secrets.RIGHT).build());
                    ComputeNode wrong = running.computeNode(
                            TcpFabricSettings.builder().secret(Secrets.WRONG).build())) {
                assertThat(right.awaitReady(PATIENCE)).isTrue();
                assertThatThrownBy(() -> wrong.awaitReady(PATIENCE))
                        .satisfies(refusal ->
                                assertThat(stackTrace(refusal)).doesNotContain(Secrets.RIGHT, Secrets.WRONG));
                assertThat(right.monitor().memoryNodes().toString()
                                + wrong.monitor().memoryNodes())
                        .doesNotContain(Secrets.RIGHT, Secrets.WRONG);
            }
            assertThat(running.get("/actuator/configprops").body())
                    .contains("declock.memory-node")
                    .doesNotContain(Secrets.RIGHT);
            for (String property : new String[] {"declock.memory-node.secret", "DECLOCK_MEMORYNODE_SECRET"}) {
                assertThat(running.get("/actuator/env/" + property).body()).doesNotContain(Secrets.RIGHT);
            }
            assertThat(running.get("/actuator/health").body()).doesNotContain(Secrets.RIGHT);
            assertThat(running.bean(MemoryNodeProperties.class).toString()).doesNotContain(Secrets.RIGHT);
            assertThat(MemoryNodeServerSettings.builder()
                            .secrets(List.of(Secrets.RIGHT))
                            .build()
                            .toString())
                    .doesNotContain(Secrets.RIGHT);
        } finally {
            logger.setLevel(null);
        }
        assertThat(output).doesNotContain(Secrets.RIGHT).doesNotContain(Secrets.WRONG);
    }

    private static final class Secrets {
        static final String RIGHT = "hush-and-say-nothing";
        static final String WRONG = "quite-another-word";
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void acceptsTheFormerSecretBesideThePresentOne() throws Exception {
        try (RunningNode running = RunningNode.start(
                        FRESH,
                        "declock.memory-node.secret=" + Secrets.RIGHT,
                        "declock.memory-node.former-secret=" + Secrets.WRONG);
                ComputeNode present = running.computeNode(
                        TcpFabricSettings.builder().secret(Secrets.RIGHT).build());
                ComputeNode former = running.computeNode(
                        TcpFabricSettings.builder().secret(Secrets.WRONG).build())) {
            assertThat(present.awaitReady(PATIENCE)).isTrue();
            assertThat(former.awaitReady(PATIENCE)).isTrue();
            assertThat(running.get("/actuator/env/declock.memory-node.former-secret")
                            .body())
                    .doesNotContain(Secrets.WRONG);
        }
    }

    @Test
    void refusesWhoDoesNotKnowTheSecret() throws Exception {
        try (RunningNode running = RunningNode.start(FRESH, "declock.memory-node.secret=right-right-right-right");
                ComputeNode service = running.computeNode(TcpFabricSettings.builder()
                        .secret("wrong-wrong-wrong-wrong")
                        .build())) {
            assertThatThrownBy(() -> service.awaitReady(PATIENCE)).isInstanceOf(MemoryNodeRefusedException.class);
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(running.get("/actuator/prometheus").body())
                                    .containsPattern("declock_server_joins_refused_total [1-9]"));
            assertThat(running.service().status().sessions()).isEmpty();
        }
    }

    @Test
    void aServiceThatAsksForEverNewNamesIsToldAndOthersAreServed() throws Exception {
        try (RunningNode running = RunningNode.start(
                        FRESH, "declock.memory-node.id=mn-7", "declock.memory-node.records-per-session=3");
                ComputeNode greedy = running.computeNode(TcpFabricSettings.DEFAULTS);
                ComputeNode other = running.computeNode(TcpFabricSettings.DEFAULTS)) {
            for (int i = 0; i < 3; i++) {
                greedy.acquire(LockRequest.write("order:" + i)).close();
            }
            assertThatThrownBy(() -> greedy.acquire(LockRequest.write("order:3")))
                    .isInstanceOf(MemoryNodeRefusedException.class)
                    .hasMessageContainingAll(
                            "'order:3'",
                            "memory node mn-7 (tcp://127.0.0.1:"
                                    + running.service().port(),
                            "1000",
                            "created 3",
                            "use fewer names",
                            "records per session");
            other.acquire(LockRequest.write("order:3")).close();
            greedy.acquire(LockRequest.write("order:3")).close();
            assertThat(running.get("/actuator/health").body())
                    .contains("\"recordsPerSession\":3", "\"mostRecordsOfOneSession\":3");
            assertThat(running.get("/actuator/prometheus").body())
                    .contains("declock_server_names_refused_total 1.0")
                    .contains("declock_server_records_session_max 3.0")
                    .contains("declock_server_records_session_limit 3.0");
        }
    }

    /** The alerts and the dashboard of the directory {@code monitoring}; its other metrics are those of services. */
    @Test
    void everyMetricThatMonitoringAsksForExists() throws Exception {
        Path monitoring = Path.of("").toAbsolutePath().resolveSibling("monitoring");
        Pattern metric = Pattern.compile("\\bdeclock_server_[a-z0-9_]+");
        Set<String> asked = new TreeSet<>();
        for (String file : List.of("declock-alerts.yml", "declock-dashboard.json")) {
            metric.matcher(Files.readString(monitoring.resolve(file)))
                    .results()
                    .forEach(found -> asked.add(found.group()));
        }
        assertThat(asked).hasSizeGreaterThan(5);
        // Only candidates have them: StandbyHealthTest reads them there.
        asked.removeAll(Set.of("declock_server_elections_total", "declock_server_depositions_total"));
        try (RunningNode running = RunningNode.start(FRESH)) {
            Set<String> exported = running.get("/actuator/prometheus")
                    .body()
                    .lines()
                    .map(line -> line.split("[{ ]")[0])
                    .collect(Collectors.toSet());
            assertThat(exported).containsAll(asked);
        }
    }

    @Test
    void isOutOfServiceWhileAnEarlierLifeMayStillHaveLocks(CapturedOutput output) throws Exception {
        try (RunningNode running =
                RunningNode.start("declock.memory-node.former-lease=60s", "declock.memory-node.max-lease=60s")) {
            HttpResponse<String> health = running.get("/actuator/health");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body())
                    .contains("OUT_OF_SERVICE")
                    .contains("ms for locks that an earlier incarnation may have granted");
            assertThat(running.get("/actuator/health/readiness").statusCode()).isEqualTo(503);
            assertThat(running.get("/actuator/health/liveness").statusCode()).isEqualTo(200);
            assertThat(output).contains("Services may join once").contains("Every program that reaches port");
        }
    }

    @Test
    void isDownWhileAnotherMemoryNodeOfItsIdLives(CapturedOutput output) throws Exception {
        try (RunningNode former = RunningNode.start(FRESH);
                RunningNode later = RunningNode.start(FRESH);
                TcpFabric fabric = TcpFabric.open(TcpFabricSettings.DEFAULTS, new NodeCounters())) {
            FormerMemoryNode reported = new FormerMemoryNode(
                    former.service().status().incarnation(),
                    "127.0.0.1:" + former.service().port());
            AtomicLong attempts = new AtomicLong();
            await().atMost(PATIENCE).until(() -> refusal(fabric, later, attempts, reported) == Reason.TWO_MEMORY_NODES);
            HttpResponse<String> health = later.get("/actuator/health");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body())
                    .contains("\"status\":\"DOWN\"")
                    .contains("two memory nodes call themselves 'test'", reported.address());
            assertThat(later.get("/actuator/health/readiness").statusCode()).isEqualTo(503);
            assertThat(later.get("/actuator/health/liveness").statusCode()).isEqualTo(200);
            assertThat(later.get("/actuator/prometheus").body())
                    .contains("declock_server_twins_total 1.0")
                    .contains("declock_server_serving 0.0");
            assertThat(former.get("/actuator/health").statusCode()).isEqualTo(200);
            assertThat(output)
                    .contains("Another memory node calls itself 'test', too, and lives at " + reported.address())
                    .contains("calls itself 'test', as this one does");
        }
    }

    private static @Nullable Reason refusal(
            TcpFabric fabric, RunningNode at, AtomicLong attempts, FormerMemoryNode reported) throws Exception {
        JoinRequest request = new JoinRequest(
                7, attempts.incrementAndGet(), "moves", "", NodeSet.NONE, 0, 1_000_000_000L, reported, false);
        MemoryNodeAddress address =
                MemoryNodeAddress.parse("tcp://127.0.0.1:" + at.service().port());
        SessionListener nobody = (SessionListener) Proxy.newProxyInstance(
                SessionListener.class.getClassLoader(),
                new Class<?>[] {SessionListener.class},
                (proxy, method, of) -> null);
        try {
            fabric.join(address, request, nobody).toCompletableFuture().get(10, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause() instanceof FabricException.Refused refused ? refused.reason() : null;
        }
    }

    @Test
    void isUpOnceTheLongestLeaseHasRunOut() throws Exception {
        try (RunningNode running = RunningNode.start(
                "declock.memory-node.former-lease=1s",
                "declock.memory-node.max-lease=1s",
                "declock.memory-node.lease-margin=0s")) {
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(running.get("/actuator/health").statusCode())
                                    .isEqualTo(200));
        }
    }
}
