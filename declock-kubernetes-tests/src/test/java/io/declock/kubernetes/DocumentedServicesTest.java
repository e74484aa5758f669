// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.MemoryNodeAddress;
import io.declock.spring.autoconfigure.DecLockProperties;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Bindable;

/** The manifests in docs/kubernetes.md: they are read strictly, fit to the chart, and set properties of services. */
class DocumentedServicesTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)```yaml\n(.*?)```");
    private final List<HasMetadata> documented = new ArrayList<>();

    @BeforeEach
    void read() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "kubernetes.md"));
        for (MatchResult block : BLOCK.matcher(page).results().toList()) {
            documented.addAll(Manifests.parse(block.group(1)));
        }
        assertThat(documented).hasSize(3);
    }

    private Container service() {
        Deployment deployment = Manifests.of(documented, Deployment.class).get(0);
        return deployment.getSpec().getTemplate().getSpec().getContainers().get(0);
    }

    private DecLockProperties properties() {
        Deployment deployment = Manifests.of(documented, Deployment.class).get(0);
        Pod pod = new Pod("shop-1", deployment.getSpec().getTemplate().getSpec());
        return Variables.bind(pod.environment(), "DECLOCK_", "declock", Bindable.of(DecLockProperties.class));
    }

    @Test
    void theVariablesAreProperties() {
        DecLockProperties properties = properties();
        assertThat(properties.lease()).isEqualTo(Duration.ofSeconds(10));
        assertThat(properties.secret()).isEqualTo(Pod.SECRET);
        assertThat(properties.peer().host()).isEqualTo("127.0.0.1");
    }

    @Test
    void theAddressesAreThoseOfTheChartsServices() {
        List<String> services = Manifests.of(Chart.render(), Service.class).stream()
                .filter(service -> !"None".equals(service.getSpec().getClusterIP()))
                .map(service -> service.getMetadata().getName() + "." + Chart.NAMESPACE + ".svc")
                .toList();
        assertThat(properties().memoryNodes())
                .map(address -> MemoryNodeAddress.parse(address).host())
                .containsExactlyElementsOf(services);
        Job job = Manifests.of(documented, Job.class).get(0);
        List<String> arguments =
                job.getSpec().getTemplate().getSpec().getContainers().get(0).getArgs();
        assertThat(arguments)
                .contains("--memory-nodes=" + String.join(",", properties().memoryNodes()));
    }

    @Test
    void theirPodsKeepToTheRestrictedProfile() {
        assertRestricted(Manifests.of(documented, Deployment.class)
                .get(0)
                .getSpec()
                .getTemplate()
                .getSpec());
        assertRestricted(Manifests.of(documented, Job.class)
                .get(0)
                .getSpec()
                .getTemplate()
                .getSpec());
    }

    private static void assertRestricted(PodSpec pod) {
        assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
        assertThat(pod.getContainers()).allSatisfy(container -> {
            assertThat(container.getSecurityContext().getAllowPrivilegeEscalation())
                    .isFalse();
            assertThat(container.getSecurityContext().getCapabilities().getDrop())
                    .containsExactly("ALL");
        });
    }

    @Test
    void thePeerPortIsOpenToPeers() {
        int port = properties().peer().port();
        assertThat(service().getPorts()).anyMatch(open -> open.getContainerPort() == port);
        NetworkPolicy policy = Manifests.of(documented, NetworkPolicy.class).get(0);
        assertThat(policy.getSpec()
                        .getIngress()
                        .get(0)
                        .getPorts()
                        .get(0)
                        .getPort()
                        .getIntVal())
                .isEqualTo(port);
    }

    @Test
    void theChartsNetworkPolicyLetsThemIn() {
        NetworkPolicy policy = Manifests.of(Chart.render(), NetworkPolicy.class).get(0);
        Deployment deployment = Manifests.of(documented, Deployment.class).get(0);
        assertThat(policy.getSpec().getIngress().get(0).getFrom())
                .anySatisfy(peer -> assertThat(
                                deployment.getSpec().getTemplate().getMetadata().getLabels())
                        .containsAllEntriesOf(peer.getPodSelector().getMatchLabels()));
    }
}
