// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.ComputeNodeSettings;
import io.declock.CqlSettings;
import io.declock.FairnessPolicy;
import io.declock.LocalSettings;
import io.declock.MemoryNodeRefusedException;
import io.declock.spi.FabricException;
import io.declock.spring.Contexts;
import io.declock.spring.DecLocked;
import io.declock.testkit.Ports;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.mock.env.MockEnvironment;

/** Properties: their defaults are the core's, and what cannot work is explained with the property's name, value and mend. */
class PropertiesTests {
    @Test
    void theDefaultsAreTheCoresDefaults() {
        DecLockProperties properties = bind(Map.of());
        ComputeNodeSettings settings = DecLockSettings.computeNode(properties, "shop");
        assertThat(settings).usingRecursiveComparison().ignoringFields("name").isEqualTo(ComputeNodeSettings.DEFAULTS);
        assertThat(settings.name()).startsWith("shop@");
        assertThat(settings.local()).isEqualTo(LocalSettings.DEFAULTS);
        assertThat(settings.cql()).isEqualTo(CqlSettings.DEFAULTS);
        assertThat(properties.memoryNodes()).isEmpty();
        assertThat(properties.embedded().port()).isEqualTo(7420);
    }

    @Test
    void everythingCanBeSet() {
        DecLockProperties properties = bind(Map.ofEntries(
                Map.entry("declock.memory-nodes", "tcp://a:1, b"),
                Map.entry("declock.mode", "remote"),
                Map.entry("declock.namespace", "shop"),
                Map.entry("declock.node-name", "one"),
                Map.entry("declock.lease", "6s"),
                Map.entry("declock.heartbeat-interval", "1s"),
                Map.entry("declock.wait-time", "2m"),
                Map.entry("declock.fail-fast", "true"),
                Map.entry("declock.fairness.policy", "phase-fair"),
                Map.entry("declock.fairness.local-hand-over-time", "3ms"),
                Map.entry("declock.protocol.self-check-interval", "7ms"),
                Map.entry("declock.spin", "0")));
        ComputeNodeSettings settings = DecLockSettings.computeNode(properties, null);
        assertThat(DecLockSettings.addresses(properties.memoryNodes()))
                .extracting(Object::toString)
                .containsExactly("tcp://a:1", "tcp://b:7420");
        assertThat(settings.name()).isEqualTo("one");
        assertThat(settings.namespace()).isEqualTo("shop");
        assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(6));
        assertThat(settings.defaultWaitTime()).isEqualTo(Duration.ofMinutes(2));
        assertThat(settings.failFast()).isTrue();
        assertThat(settings.local().policy()).isEqualTo(FairnessPolicy.PHASE_FAIR);
        assertThat(settings.local().localHandOverTime()).isEqualTo(Duration.ofMillis(3));
        assertThat(settings.cql().selfCheckInterval()).isEqualTo(Duration.ofMillis(7));
        assertThat(settings.spin()).isZero();
    }

    @Test
    void whatFollowsFromTheLeaseNeedsNotBeSet() {
        ComputeNodeSettings byDefault = DecLockSettings.computeNode(bind(Map.of()), null);
        assertThat(byDefault.heartbeatInterval()).isEqualTo(Duration.ofMillis(500));
        assertThat(byDefault.leaseMargin()).isEqualTo(Duration.ofMillis(250));
        ComputeNodeSettings shorter = DecLockSettings.computeNode(bind(Map.of("declock.lease", "600ms")), null);
        assertThat(shorter.heartbeatInterval()).isEqualTo(Duration.ofMillis(100));
        assertThat(shorter.leaseMargin()).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void theSecretIsNotShown() {
        assertThat(bind(Map.of("declock.secret", "hush-hush-hush-hush")))
                .asString()
                .doesNotContain("hush");
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                wrong(
                        "declock.memory-nodes=tcp://no host:1",
                        "declock.memory-nodes",
                        "tcp://no host:1",
                        "Write tcp://host:port"),
                wrong("declock.memory-nodes=a:1,a:1", "declock.memory-nodes", "listed twice", "once"),
                wrong(
                        "declock.heartbeat-interval=2s",
                        "declock.heartbeat-interval",
                        "'2000ms'",
                        "at most a third of declock.lease, which is 3000ms"),
                wrong("declock.lease-margin=2900ms", "declock.lease-margin", "'2900ms'", "shorter than declock.lease"),
                wrong("declock.lease=0", "declock.lease", "longer than zero", "Correct"),
                wrong("declock.lease=100ns", "declock.lease", "PT0.0000001S", "at least 50ms", "Correct"),
                wrong("declock.wait-time=-1s", "declock.wait-time", "negative", "Correct"),
                wrong("declock.namespace= ", "declock.namespace", "empty", "'default'"),
                wrong("declock.ssl.bundle=nope", "declock.ssl.bundle", "'nope'", "There are no SSL bundles"),
                wrong("declock.embedded.port=70000", "declock.embedded.port", "70000", "from 0 to 65535"),
                wrong(
                        "declock.embedded.records-per-session=-1",
                        "declock.embedded.records-per-session",
                        "-1",
                        "at least 0"),
                wrong("declock.embedded.queue-capacity=48", "declock.embedded.queue-capacity", "48", "power of two"),
                wrong(
                        "declock.embedded.records=100000000",
                        "declock.embedded.records",
                        "100000000",
                        "declock.embedded.memory-limit is 256 MB"),
                wrong("declock.mode=remote", "declock.memory-nodes", "is not set", "Set declock.memory-nodes"),
                wrong("declock.mode=lokal", "declock.mode", "lokal", "EMBEDDED"));
    }

    private static Arguments wrong(String setting, String... words) {
        return Arguments.of(setting, words);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void isExplained(String setting, String[] words) {
        runner().withPropertyValues(setting).run(context -> {
            assertThat(context).hasFailed();
            String analysis = analyze(context.getStartupFailure(), null);
            assertThat(analysis).contains(words);
        });
    }

    @Test
    void modeEmbeddedWithMemoryNodesIsAContradiction() {
        runner().withPropertyValues("declock.mode=embedded", "declock.memory-nodes=tcp://a:1")
                .run(context -> assertThat(analyze(context.getStartupFailure(), null))
                        .contains("declock.mode", "embedded", "declock.memory-nodes=tcp://a:1", "Remove one"));
    }

    @Test
    void onACloudPlatformMemoryNodesMustBeConfigured() {
        String kubernetes = "spring.main.cloud-platform=kubernetes";
        runner().withPropertyValues(kubernetes, "declock.embedded.port=7420")
                .run(context -> assertThat(analyze(context.getStartupFailure(), null))
                        .contains("declock.memory-nodes", "KUBERNETES", "declock.mode=embedded"));
        runner().withPropertyValues(kubernetes, "declock.mode=embedded")
                .run(context -> assertThat(context).hasNotFailed());
        runner().withPropertyValues("spring.main.cloud-platform=none")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** As {@code @SpringBootTest} has it, wherever the build runs. */
    @Test
    void onACloudPlatformAMemoryNodeForOneInstanceAloneIsNotRefused() {
        runner().withPropertyValues("spring.main.cloud-platform=kubernetes", "declock.embedded.port=0")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void inAContainerMemoryNodesMustBeConfigured(@TempDir Path directory) {
        assertThatExceptionOfType(MemoryNodesNotConfiguredException.class)
                .isThrownBy(() -> choice("Docker: /.dockerenv exists", Map.of()))
                .satisfies(refusal -> assertThat(analyze(refusal, null))
                        .contains(
                                "in a container (Docker: /.dockerenv exists)",
                                "set declock.memory-nodes=",
                                "declock.mode=embedded"));
        String own = directory.resolve("own").toString();
        assertThat(choice("Docker", Map.of("declock.mode", "embedded", "declock.embedded.directory", own))
                        .embedded())
                .isNotNull();
        assertThat(choice(null, Map.of("declock.embedded.directory", own)).embedded())
                .isNotNull();
        assertThat(choice("Docker", Map.of("declock.memory-nodes", "tcp://a:1")).addresses())
                .hasSize(1);
    }

    private static MemoryNodeChoice choice(@Nullable String container, Map<String, String> settings) {
        DecLockProperties properties = bind(settings);
        return MemoryNodeChoice.of(
                properties,
                new PropertiesDecLockConnectionDetails(properties, null),
                new MockEnvironment(),
                () -> container);
    }

    /** The search for evidence is in {@link ContainersTests}; this shows that it is made. */
    @Test
    void whereThisProcessRunsIsFoundOut() throws IOException {
        String evidence = Containers.evidence();
        try (ServerSocket free = new ServerSocket(0)) {
            free.close();
            runner().withPropertyValues("spring.main.cloud-platform=", "declock.embedded.port=" + free.getLocalPort())
                    .run(context -> {
                        if (evidence == null) {
                            assertThat(context).hasNotFailed();
                        } else {
                            assertThat(analyze(context.getStartupFailure(), null))
                                    .contains("in a container", evidence);
                        }
                    });
        }
    }

    @Test
    void peersAreListenedForAsThePropertiesSay() throws IOException {
        int port = Ports.free();
        runner().withPropertyValues(
                        "declock.memory-nodes=tcp://127.0.0.1:1",
                        "declock.startup.timeout=0s",
                        "declock.peer.bind-host=127.0.0.2",
                        "declock.peer.port=" + port)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThatExceptionOfType(ConnectException.class)
                            .isThrownBy(() -> new Socket("127.0.0.1", port).close());
                    new Socket("127.0.0.2", port).close();
                });
    }

    @Test
    void aPortThatIsTakenBySomethingElseIsExplained() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            runner().withPropertyValues(
                            "declock.embedded.port=" + taken.getLocalPort(), "declock.startup.timeout=500ms")
                    .run(context -> assertThat(analyze(context.getStartupFailure(), null))
                            .contains(
                                    "declock.embedded.port",
                                    String.valueOf(taken.getLocalPort()),
                                    "not a memory node",
                                    "another port"));
        }
    }

    @Test
    void memoryNodesThatAreNotThereFailTheStartOnlyWhenRequired() {
        runner().withPropertyValues("declock.memory-nodes=tcp://127.0.0.1:1", "declock.startup.timeout=100ms")
                .run(context -> assertThat(context).hasNotFailed());
        runner().withPropertyValues(
                        "declock.memory-nodes=tcp://127.0.0.1:1",
                        "declock.startup.timeout=100ms",
                        "declock.startup.required=true")
                .run(context -> assertThat(analyze(context.getStartupFailure(), null))
                        .contains("tcp://127.0.0.1:1", "declock.startup.timeout", "declock.startup.required"));
    }

    @Test
    void aSecretThatIsTooShortIsExplainedAndNotShown() {
        for (String mode : new String[] {"declock.mode=embedded", "declock.memory-nodes=tcp://a:1"}) {
            runner().withPropertyValues("declock.secret=not-long-enough", mode)
                    .run(context -> assertThat(analyze(context.getStartupFailure(), null))
                            .contains("declock.secret", "15 characters", "at least 16", "openssl rand")
                            .doesNotContain("not-long-enough"));
        }
    }

    @Test
    void refusalsAreExplainedWithoutTheSecret() {
        runner().withPropertyValues(
                        "declock.secret=hush-hush-hush-hush",
                        "declock.memory-nodes=tcp://a:1",
                        "declock.startup.timeout=0s")
                .run(context -> {
                    ConfigurableApplicationContext source = context.getSourceApplicationContext();
                    assertThat(analyze(refusal(FabricException.Reason.BAD_SECRET), source.getEnvironment()))
                            .contains("declock.secret", "its value is not shown")
                            .doesNotContain("hush");
                    assertThat(analyze(refusal(FabricException.Reason.BAD_NODE_SET), source.getEnvironment()))
                            .contains("declock.memory-nodes", "tcp://a:1");
                    assertThat(analyze(refusal(FabricException.Reason.BAD_VERSION), source.getEnvironment()))
                            .contains("older side");
                    assertThat(analyze(refusal(FabricException.Reason.TOO_MANY_COMPUTE_NODES), source.getEnvironment()))
                            .contains("fewer instances");
                });
    }

    @Test
    void misusesAreListed() {
        runner().withBean(Misused.class)
                .run(context -> assertThat(analyze(context.getStartupFailure(), null))
                        .contains("@DecLocked cannot work here", "Misused.locked()"));
    }

    private static ApplicationContextRunner runner() {
        return Contexts.locks();
    }

    private static MemoryNodeRefusedException refusal(FabricException.Reason reason) {
        return new MemoryNodeRefusedException(
                "memory node tcp://a:1 refused", new FabricException.Refused(reason, "no"));
    }

    /** Analyzes as Boot does: every registered analyzer in order, the first that has something to say. */
    private static String analyze(Throwable failure, Environment environment) {
        SpringFactoriesLoader.ArgumentResolver arguments =
                SpringFactoriesLoader.ArgumentResolver.of(Environment.class, environment);
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, arguments, (type, name, problem) -> {})
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(analysis -> analysis != null)
                .findFirst()
                .map(PropertiesTests::text)
                .orElseThrow(() -> new AssertionError("not analyzed", failure));
    }

    private static String text(FailureAnalysis analysis) {
        return analysis.getDescription() + "\n" + analysis.getAction();
    }

    private static DecLockProperties bind(Map<String, String> properties) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate("declock", DecLockProperties.class);
    }

    static class Misused {
        @DecLocked
        public void locked() {}
    }
}
