// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.reliability.cluster.Patience;
import io.declock.testkit.Ports;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two candidates as processes with the environments of the chart's pods, elected by the mock of the API server. No cluster is tried here. */
@Timeout(200)
class StandByIT {
    private static final Patience PATIENCE = new Patience(Duration.ofSeconds(60));

    @TempDir
    private Path directory;

    private final List<HasMetadata> manifests = Chart.render(ChartTest.STAND_BY);
    private final StatefulSet set = Manifests.of(manifests, StatefulSet.class).get(1);
    private final List<Integer> ports = Ports.free(2);
    private final List<StartedPod> candidates = new ArrayList<>();
    private KubernetesMockServer server;

    @BeforeEach
    void startServer() {
        server = Mock.start();
    }

    @AfterEach
    void end() {
        candidates.forEach(StartedPod::close);
        server.destroy();
    }

    private StartedPod start(int ordinal) throws IOException {
        StartedPod started = StartedPod.start(
                Pod.of(set, ordinal),
                directory,
                ports.get(ordinal),
                "--declock.memory-node.election.kubernetes.namespace=" + Chart.NAMESPACE,
                "--declock.memory-node.election.kubernetes.master-url=http://127.0.0.1:" + server.getPort(),
                "--declock.memory-node.election.address=" + address(ordinal),
                "--declock.memory-node.election.candidates=" + address(0) + "," + address(1));
        candidates.add(started);
        return started;
    }

    private String address(int ordinal) {
        return "tcp://127.0.0.1:" + ports.get(ordinal);
    }

    private static boolean serves(StartedPod candidate) {
        return candidate.log().contains(" serves tcp://");
    }

    @Test
    void aCandidateThatStandsByIsAliveAndReadyAndTheRoleAdmitsWhatBothAsk() throws Exception {
        StartedPod one = start(0);
        PATIENCE.until(() -> serves(one), one::log);
        StartedPod two = start(1);
        PATIENCE.until(two::isReady, two::log);
        assertThat(serves(two)).isFalse();
        assertThat(two.isAlive()).isTrue();
        PATIENCE.until(one::isReady, one::log);
        one.terminate();
        PATIENCE.until(() -> serves(two), two::log);
        PATIENCE.until(two::isReady, two::log);

        Set<Access> asked = Access.asked(server);
        Set<Access> allowed = Access.allowed(Manifests.of(manifests, Role.class).get(0));
        String own = "declock-" + set.getMetadata().getName();
        assertThat(allowed).containsAll(asked);
        // And nothing else, for this memory node.
        assertThat(allowed.stream().filter(access -> access.isFor(own)).toList())
                .containsExactlyInAnyOrderElementsOf(asked);
    }
}
