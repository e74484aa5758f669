// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.memorynode.app.MemoryNodeProperties;
import io.declock.memorynode.app.MemoryNodeProperties.ClientAuth;
import io.declock.memorynode.app.console.ConsoleProperties;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

/** Every environment variable that the chart sets is a setting of the memory node's program. */
class EnvironmentTest {
    /** Read by the chart itself and by the JVM. */
    private static final Set<String> OTHERS = Set.of("POD_NAME", "JAVA_TOOL_OPTIONS");

    private static final String CONSOLE = "DECLOCK_MEMORYNODE_CONSOLE_";

    private static Map<String, String> environment(String... values) {
        return Pod.of(Manifests.of(Chart.render(values), StatefulSet.class).get(0), 0)
                .environment();
    }

    private static MemoryNodeProperties bound(Map<String, String> environment) {
        Map<String, String> rest = new LinkedHashMap<>(environment);
        rest.keySet().removeIf(name -> name.startsWith(CONSOLE));
        return Variables.bind(
                rest, "DECLOCK_MEMORYNODE_", "declock.memory-node", Bindable.of(MemoryNodeProperties.class));
    }

    private static ConsoleProperties console(Map<String, String> environment) {
        return Variables.bind(
                environment, CONSOLE, "declock.memory-node.console", Bindable.of(ConsoleProperties.class));
    }

    @ParameterizedTest
    @MethodSource("io.declock.kubernetes.ChartTest#variants")
    void everyVariableIsAProperty(List<String> values) {
        Map<String, String> environment = environment(values.toArray(String[]::new));
        bound(environment);
        Variables.bind(environment, "SERVER_", "server", Bindable.of(ServerProperties.class));
        Variables.bind(environment, "SPRING_SSL_", "spring.ssl", Bindable.of(SslProperties.class));
        Set<String> left = new TreeSet<>(environment.keySet());
        left.removeAll(OTHERS);
        left.removeIf(name ->
                name.startsWith("DECLOCK_MEMORYNODE_") || name.startsWith("SERVER_") || name.startsWith("SPRING_SSL_"));
        assertThat(left).isEmpty();
    }

    @Test
    void aVariableThatIsNoPropertyIsSeenHere() {
        Map<String, String> wrong = new LinkedHashMap<>(environment());
        wrong.put("DECLOCK_MEMORYNODE_STATEDIR", "/state");
        assertThatThrownBy(() -> bound(wrong)).rootCause().hasMessageContaining("statedir");
    }

    @Test
    void theSettingsAreThoseOfTheValues() {
        MemoryNodeProperties properties = bound(environment("records=5000", "maxLease=20s", "queueCapacity=128"));
        assertThat(properties.id()).isEqualTo(Chart.NAME + "-0");
        assertThat(properties.nodes()).hasSize(3);
        assertThat(properties.port()).isEqualTo(7420);
        assertThat(properties.records()).isEqualTo(5000);
        assertThat(properties.queueCapacity()).isEqualTo(128);
        assertThat(properties.maxLease()).isEqualTo(Duration.ofSeconds(20));
        assertThat(properties.formerLease()).isEqualTo(Duration.ofSeconds(20));
        assertThat(properties.stateDirectory()).isEqualTo(Path.of("/var/lib/declock/state"));
        assertThat(properties.secret()).isEqualTo(Pod.SECRET);
        assertThat(properties.waitOutOldSessions()).isTrue();
    }

    @Test
    void aNumberThatHelmWouldWriteWithAnExponentIsReadAsItWasMeant(@TempDir Path directory) throws IOException {
        Path values = Files.writeString(directory.resolve("values.yaml"), "records: 30000000\nqueueCapacity: 2\n");
        StatefulSet set = Manifests.of(Chart.render(values), StatefulSet.class).get(0);
        assertThat(bound(Pod.of(set, 0).environment()).records()).isEqualTo(30_000_000);
        assertThat(Pod.of(set, 0).environment().get("JAVA_TOOL_OPTIONS")).contains("MaxDirectMemorySize=1896m");
    }

    @Test
    void candidatesAndCertificates() {
        MemoryNodeProperties standBy = bound(environment(ChartTest.STAND_BY));
        assertThat(standBy.election().engine()).isEqualTo("kubernetes");
        assertThat(standBy.election().candidates())
                .hasSize(2)
                .contains(String.valueOf(standBy.election().address()));
        assertThat(standBy.election().kubernetes()).isEqualTo(Map.of("namespace", Chart.NAMESPACE));
        assertThat(standBy.stateDirectory()).isNull();

        Map<String, String> environment = environment(ChartTest.TLS);
        assertThat(bound(environment).ssl().clientAuth()).isEqualTo(ClientAuth.NEED);
        SslProperties ssl = Variables.bind(environment, "SPRING_SSL_", "spring.ssl", Bindable.of(SslProperties.class));
        assertThat(ssl.getBundle().getPem().get(bound(environment).ssl().bundle()))
                .satisfies(bundle -> {
                    assertThat(bundle.getKeystore().getCertificate()).isEqualTo("/etc/declock/tls/tls.crt");
                    assertThat(bundle.getKeystore().getPrivateKey()).isEqualTo("/etc/declock/tls/tls.key");
                    assertThat(bundle.getTruststore().getCertificate()).isEqualTo("/etc/declock/tls/ca.crt");
                    assertThat(bundle.isReloadOnUpdate()).isTrue();
                });
    }

    @Test
    void thePasswordsOfTheConsoleComeFromASecret() {
        assertThat(environment().keySet()).noneMatch(name -> name.startsWith(CONSOLE));
        ConsoleProperties console = console(environment("console.existingSecret=declock-console"));
        assertThat(console.operatorPassword()).isEqualTo(Pod.SECRET);
        assertThat(console.viewerPassword()).isEqualTo(Pod.SECRET);
    }

    @Test
    void aLongestLeaseThatIsLoweredIsWaitedForOnceMore() {
        MemoryNodeProperties properties = bound(environment("maxLease=20s", "formerLease=2m"));
        assertThat(properties.maxLease()).isEqualTo(Duration.ofSeconds(20));
        assertThat(properties.formerLease()).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void aSecretCanBeReplaced() {
        assertThat(bound(environment("secret.formerKey=former")).formerSecret()).isEqualTo(Pod.SECRET);
    }

    @Test
    void theListCanBeLeftOut() {
        assertThat(bound(environment("listMemoryNodes=false")).nodes()).isEmpty();
    }
}
