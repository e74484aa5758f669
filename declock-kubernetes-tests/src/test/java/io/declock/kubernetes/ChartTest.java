// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.LintResult;
import io.declock.MemoryNodeAddress;
import io.declock.internal.layout.RecordLayout;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the chart makes of its values: every manifest is read strictly, and accepted by the mock of the API server. */
class ChartTest {
    static final String[] STAND_BY = {"standBy.enabled=true", "memoryNodes=2"};
    static final String[] TLS = {"tls.existingSecret=certificates", "tls.clientAuth=need"};

    static Stream<List<String>> variants() {
        return Stream.of(
                List.of(),
                List.of(STAND_BY),
                List.of(TLS),
                List.of("networkPolicy.enabled=false", "podDisruptionBudget.enabled=false", "antiAffinity=required"),
                List.of(
                        "secret.value=0123456789abcdef",
                        "console.existingSecret=declock-console",
                        "image.digest=sha256:" + "0".repeat(64),
                        "image.pullSecrets[0].name=registry",
                        "tolerations[0].operator=Exists",
                        "nodeSelector.disk=ssd",
                        "priorityClassName=high",
                        "podAnnotations.a=b",
                        "podLabels.c=d",
                        "serviceAccount.annotations.e=f",
                        "state.storageClassName=local",
                        "resources.limits.memory=1Gi",
                        "networkPolicy.monitoring[0].podSelector.matchLabels.app=prometheus",
                        "environment.DECLOCK_MEMORYNODE_RECLAIMINTERVAL=120s"));
    }

    private static List<HasMetadata> render(List<String> values) {
        return Chart.render(values.toArray(String[]::new));
    }

    private static StatefulSet only(List<HasMetadata> manifests) {
        List<StatefulSet> sets = Manifests.of(manifests, StatefulSet.class);
        assertThat(sets).hasSize(1);
        return sets.get(0);
    }

    @Test
    void helmFindsNoFault() {
        LintResult result = Chart.lint();
        assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
    }

    @Test
    void itIsOfThisRelease() throws IOException {
        String pom = Files.readString(Chart.DIRECTORY.resolve("../../pom.xml").normalize());
        String version = pom.replaceAll("(?s).*?<version>([^<]*)</version>.*", "$1");
        assertThat(Files.readString(Chart.DIRECTORY.resolve("Chart.yaml"))).contains("appVersion: " + version + "\n");
    }

    @ParameterizedTest
    @MethodSource("variants")
    void theApiServersMockAcceptsEveryManifest(List<String> values) {
        List<HasMetadata> manifests = render(values);
        KubernetesMockServer server = Mock.start();
        try (KubernetesClient client = server.createClient()) {
            manifests.forEach(manifest -> client.resource(manifest).create());
            for (HasMetadata manifest : manifests) {
                assertThat(manifest.getMetadata().getNamespace()).isEqualTo(Chart.NAMESPACE);
                assertThat(client.resource(manifest).get()).isNotNull();
            }
        } finally {
            server.destroy();
        }
    }

    @Test
    void aFieldThatKubernetesDoesNotKnowIsSeenHere() {
        assertThatThrownBy(() ->
                        Manifests.parse("apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  prots: []\n"))
                .hasMessageContaining("prots");
    }

    // ---------------------------------------------------------------- memory nodes and their names

    @Test
    void eachMemoryNodeIsAPodWithAnIdAndAVolumeThatStayItsOwn() {
        StatefulSet set = only(Chart.render());
        assertThat(set.getSpec().getReplicas()).isEqualTo(3);
        assertThat(set.getSpec().getUpdateStrategy().getType()).isEqualTo("RollingUpdate");
        for (int i = 0; i < 3; i++) {
            assertThat(Pod.of(set, i).environment())
                    .containsEntry("DECLOCK_MEMORYNODE_ID", Chart.NAME + "-" + i)
                    .containsEntry(
                            "DECLOCK_MEMORYNODE_NODES", Chart.NAME + "-0," + Chart.NAME + "-1," + Chart.NAME + "-2");
        }
        Container container = Pod.of(set, 0).container();
        String state = Pod.of(set, 0).environment().get("DECLOCK_MEMORYNODE_STATEDIRECTORY");
        assertThat(set.getSpec().getVolumeClaimTemplates())
                .singleElement()
                .satisfies(claim -> assertThat(container.getVolumeMounts()).anySatisfy(mount -> {
                    assertThat(mount.getName()).isEqualTo(claim.getMetadata().getName());
                    assertThat(state).startsWith(mount.getMountPath() + "/");
                }));
    }

    @Test
    void withStandBysEachMemoryNodeIsAStatefulSetOfCandidates() {
        List<StatefulSet> sets = Manifests.of(Chart.render(STAND_BY), StatefulSet.class);
        assertThat(sets).hasSize(2);
        for (int node = 0; node < 2; node++) {
            StatefulSet set = sets.get(node);
            String id = Chart.NAME + "-" + node;
            assertThat(set.getSpec().getReplicas()).isEqualTo(2);
            assertThat(set.getSpec().getVolumeClaimTemplates()).isEmpty();
            for (int candidate = 0; candidate < 2; candidate++) {
                assertThat(Pod.of(set, candidate).environment())
                        .containsEntry("DECLOCK_MEMORYNODE_ID", id)
                        .containsEntry(
                                "DECLOCK_MEMORYNODE_ELECTION_ADDRESS",
                                "tcp://" + id + "-" + candidate + ".prod.svc:7420")
                        .containsEntry(
                                "DECLOCK_MEMORYNODE_ELECTION_CANDIDATES",
                                "tcp://" + id + "-0.prod.svc:7420,tcp://" + id + "-1.prod.svc:7420")
                        .doesNotContainKey("DECLOCK_MEMORYNODE_STATEDIRECTORY");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("variants")
    void everyPodHasAServiceOfItsOwnWhoseAddressStays(List<String> values) {
        List<HasMetadata> manifests = render(values);
        List<Service> services = Manifests.of(manifests, Service.class);
        for (StatefulSet set : Manifests.of(manifests, StatefulSet.class)) {
            assertThat(services)
                    .anyMatch(service ->
                            service.getMetadata().getName().equals(set.getSpec().getServiceName())
                                    && "None".equals(service.getSpec().getClusterIP()));
            for (int i = 0; i < set.getSpec().getReplicas(); i++) {
                String pod = Pod.of(set, i).name();
                Service own = services.stream()
                        .filter(service -> service.getMetadata().getName().equals(pod))
                        .findFirst()
                        .orElseThrow();
                assertThat(own.getSpec().getClusterIP()).isNull();
                assertThat(own.getSpec().getPublishNotReadyAddresses()).isTrue();
                assertThat(own.getSpec().getSelector()).containsEntry("statefulset.kubernetes.io/pod-name", pod);
                assertThat(own.getSpec().getPorts())
                        .singleElement()
                        .satisfies(port -> assertThat(port.getPort()).isEqualTo(7420));
            }
        }
    }

    /** Kubernetes adds a hash of ten letters to a StatefulSet's name for a label, which has 63. */
    @Test
    void longNamesAreCutSoThatLabelsAreValid() {
        List<HasMetadata> manifests =
                Chart.render("fullnameOverride=" + "a".repeat(60), "standBy.enabled=true", "memoryNodes=40");
        assertThat(Manifests.of(manifests, StatefulSet.class))
                .allSatisfy(set -> assertThat(set.getMetadata().getName()).hasSizeLessThanOrEqualTo(52));
    }

    @Test
    void addressesCanBeRead() {
        for (StatefulSet set : Manifests.of(Chart.render(STAND_BY), StatefulSet.class)) {
            Map<String, String> environment = Pod.of(set, 0).environment();
            for (String address :
                    environment.get("DECLOCK_MEMORYNODE_ELECTION_CANDIDATES").split(",", -1)) {
                assertThat(MemoryNodeAddress.parse(address).port()).isEqualTo(7420);
            }
        }
    }

    // ---------------------------------------------------------------- pods

    @ParameterizedTest
    @MethodSource("variants")
    void podsKeepToTheRestrictedProfile(List<String> values) {
        for (StatefulSet set : Manifests.of(render(values), StatefulSet.class)) {
            PodSpec spec = set.getSpec().getTemplate().getSpec();
            assertThat(spec.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(spec.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            assertThat(spec.getHostNetwork()).isNull();
            Container container = Pod.of(set, 0).container();
            assertThat(container.getSecurityContext().getAllowPrivilegeEscalation())
                    .isFalse();
            assertThat(container.getSecurityContext().getReadOnlyRootFilesystem())
                    .isTrue();
            assertThat(container.getSecurityContext().getCapabilities().getDrop())
                    .containsExactly("ALL");
            assertThat(spec.getVolumes())
                    .allMatch(volume -> volume.getEmptyDir() != null || volume.getSecret() != null);
            // Only who is elected by the API server talks to it.
            assertThat(spec.getAutomountServiceAccountToken()).isEqualTo(values.contains("standBy.enabled=true"));
            assertThat(spec.getEnableServiceLinks()).isFalse();
        }
    }

    @Test
    void theMemoryOfAPodFollowsFromItsRecords() {
        for (int capacity = 2; capacity <= RecordLayout.MAX_CAPACITY; capacity *= 2) {
            StatefulSet set = only(Chart.render("queueCapacity=" + capacity, "records=2000000", "heapMegabytes=512"));
            Pod pod = Pod.of(set, 0);
            long records = 2_000_000L * new RecordLayout(capacity).strideBytes();
            long direct = number(pod.environment().get("JAVA_TOOL_OPTIONS"), "MaxDirectMemorySize=(\\d+)m");
            assertThat(direct << 20).isBetween(records + (64 << 20), records + (66 << 20));
            assertThat(pod.environment().get("JAVA_TOOL_OPTIONS")).contains("-Xmx512m");
            String limit =
                    pod.container().getResources().getLimits().get("memory").toString();
            assertThat(number(limit, "(\\d+)Mi")).isGreaterThanOrEqualTo(direct + 512 + 200);
            assertThat(pod.container().getResources().getRequests().get("memory"))
                    .hasToString(limit);
            assertThat(pod.container().getResources().getLimits()).doesNotContainKey("cpu");
        }
    }

    private static long number(String text, String pattern) {
        return Long.parseLong(text.replaceAll(".*?" + pattern + ".*", "$1"));
    }

    @Test
    void oneOfThemMayBeAwayAtATime() {
        assertThat(Manifests.of(Chart.render(), PodDisruptionBudget.class)).hasSize(1);
        List<HasMetadata> manifests = Chart.render(STAND_BY);
        List<StatefulSet> sets = Manifests.of(manifests, StatefulSet.class);
        List<PodDisruptionBudget> budgets = Manifests.of(manifests, PodDisruptionBudget.class);
        assertThat(budgets).hasSameSizeAs(sets);
        for (StatefulSet set : sets) {
            Map<String, String> labels =
                    set.getSpec().getTemplate().getMetadata().getLabels();
            // Kubernetes refuses to evict a pod that has two.
            assertThat(budgets)
                    .filteredOn(budget -> labels.entrySet()
                            .containsAll(budget.getSpec()
                                    .getSelector()
                                    .getMatchLabels()
                                    .entrySet()))
                    .singleElement()
                    .satisfies(budget -> assertThat(
                                    budget.getSpec().getMaxUnavailable().getIntVal())
                            .isEqualTo(1));
        }
    }

    // ---------------------------------------------------------------- who may do what

    @Test
    void onlyMemoryNodesAndServicesReachTheirPort() {
        NetworkPolicy policy = Manifests.of(Chart.render(), NetworkPolicy.class).get(0);
        assertThat(policy.getSpec().getPolicyTypes()).containsExactlyInAnyOrder("Ingress", "Egress");
        assertThat(policy.getSpec().getIngress()).singleElement().satisfies(rule -> {
            assertThat(rule.getFrom()).hasSize(2);
            assertThat(rule.getPorts().get(0).getPort().getIntVal()).isEqualTo(7420);
        });
        assertThat(policy.getSpec().getEgress()).hasSize(2);
        NetworkPolicy standBy =
                Manifests.of(Chart.render(STAND_BY), NetworkPolicy.class).get(0);
        assertThat(standBy.getSpec().getEgress()).hasSize(3);
    }

    @Test
    void withoutStandBysNothingIsAllowedAtTheApiServer() {
        List<HasMetadata> manifests = Chart.render();
        assertThat(Manifests.of(manifests, Role.class)).isEmpty();
        assertThat(Manifests.of(manifests, ServiceAccount.class))
                .singleElement()
                .satisfies(account ->
                        assertThat(account.getAutomountServiceAccountToken()).isFalse());
    }

    @Test
    void theSecretIsTheUsersOrTheCharts() {
        assertThat(Manifests.of(Chart.render(), Secret.class)).isEmpty();
        assertThat(Manifests.of(Chart.render("secret.value=0123456789abcdef"), Secret.class))
                .singleElement()
                .satisfies(secret -> assertThat(secret.getStringData()).containsEntry("secret", "0123456789abcdef"));
    }

    @Test
    void aSecretOfTheChartsThatChangesRestartsPodsAndIsNotToBeGuessed() {
        String one = checksum("secret.value=0123456789abcdef");
        assertThat(one).hasSize(8).isNotEqualTo(checksum("secret.value=0123456789abcdeg"));
    }

    private static String checksum(String value) {
        return only(Chart.render(value))
                .getSpec()
                .getTemplate()
                .getMetadata()
                .getAnnotations()
                .get("checksum/secret");
    }

    // ---------------------------------------------------------------- values that cannot work

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "memoryNodes=0 | /memoryNodes",
                "memoryNodes=three | /memoryNodes",
                "queueCapacity=63 | /queueCapacity",
                "secret.value=short | /secret/value",
                "secret.existingSecret= | /secret",
                "tls.clientAuth=need | /tls/existingSecret",
                "tls.clientAuth=always | /tls/clientAuth",
                "standBy.candidates=1 | /standBy/candidates",
                "standBy.lease=3 | /standBy/lease",
                "state.accessMode=ReadWriteMany | /state/accessMode",
                "image.digest=latest | /image/digest",
                "antiAffinity=none | /antiAffinity",
                "fullnameOverride=Locks | /fullnameOverride",
                "formerLease=3 | /formerLease",
                "replicas=3 | replicas"
            })
    void wrongValuesAreRefusedByName(String value, String name) {
        assertThatThrownBy(() -> Chart.render(value))
                .hasMessageContaining("values don't meet the specifications of the schema")
                .hasMessageContaining(name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "image.repository= | image.repository is empty. No registry has the image",
                "maxLease=20s formerLease=19s | formerLease is 19s, which is shorter than maxLease, 20s",
                "standBy.enabled=true standBy.lease=1999ms | standBy.lease is 1999ms, which is shorter than 2s",
                "standBy.enabled=true standBy.lease=3s maxLease=4999ms | no service could keep its holds",
                "standBy.enabled=true standBy.lease=1m maxLease=1m | no service could keep its holds",
                "standBy.enabled=true standBy.lease=5s | minReadySeconds is 5 and standBy.lease is 5s",
                "environment.DECLOCK_MEMORYNODE_MAXLEASE=7s | environment has DECLOCK_MEMORYNODE_MAXLEASE",
                "environment.JAVA_TOOL_OPTIONS=-Xmx1g | environment has JAVA_TOOL_OPTIONS",
                "podLabels.app\\.kubernetes\\.io/instance=other | podLabels has app.kubernetes.io/instance",
                "podLabels.declock\\.io/memory-node=other | podLabels has declock.io/memory-node",
                "secret.value=0123456789abcdef secret.formerKey=former | secret.formerKey and secret.value are both set"
            })
    void valuesThatDoNotFitTogetherAreRefused(String values, String message) {
        assertThatThrownBy(() -> Chart.render(values.split(" ", -1))).hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({
        "standBy.enabled=true standBy.lease=2s maxLease=4s minReadySeconds=3",
        "standBy.enabled=true standBy.lease=4999ms",
        // Nobody is elected without stand-bys.
        "standBy.lease=1s minReadySeconds=1",
        "environment.DECLOCK_MEMORYNODE_RECLAIMINTERVAL=120s podLabels.team=shop"
    })
    void valuesThatJustFitTogetherAreTaken(String values) {
        assertThat(Chart.render(values.split(" ", -1))).isNotEmpty();
    }
}
