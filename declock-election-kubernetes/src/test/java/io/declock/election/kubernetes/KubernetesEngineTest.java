// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngine.Held;
import io.declock.spi.election.ElectionEngineContract;
import io.declock.spi.election.ElectionException;
import io.declock.spi.election.InvalidElectionSettingException;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On the mock of Kubernetes' API server that its client brings, which keeps objects with their versions. No cluster is tried here. */
final class KubernetesEngineTest extends ElectionEngineContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final String NAMESPACE = "locks";
    private static final String CANDIDATE = "tcp://a1:7420";
    private static final Logger REQUESTS = Logger.getLogger("io.fabric8.mockwebserver");
    private static KubernetesMockServer server;
    private static KubernetesClient client;

    private final Map<ElectionEngine, TcpProxy> proxies = new HashMap<>();

    @BeforeAll
    static void startServer() {
        // It would write a line for each request.
        REQUESTS.setLevel(Level.WARNING);
        server = new KubernetesMockServer(
                new Context(), new MockWebServer(), new HashMap<>(), new KubernetesCrudDispatcher(), false);
        server.init();
        client = server.createClient();
    }

    @AfterAll
    static void stopServer() {
        client.close();
        server.destroy();
    }

    @AfterEach
    void closeProxies() {
        proxies.values().forEach(TcpProxy::close);
    }

    @Override
    protected ElectionEngine open() throws Exception {
        TcpProxy proxy = new TcpProxy(server.getPort());
        ElectionEngine engine = new KubernetesEngineProvider()
                .open(Map.of("namespace", NAMESPACE, "master-url", "http://127.0.0.1:" + proxy.port()), TIMEOUT);
        proxies.put(engine, proxy);
        return engine;
    }

    @Override
    protected Duration lease() {
        return Duration.ofSeconds(1);
    }

    @Override
    protected void stop(ElectionEngine engine) {
        proxies.get(engine).set(Flow.HELD);
    }

    @Override
    protected void goOn(ElectionEngine engine) {
        proxies.get(engine).set(Flow.OPEN);
    }

    private Resource<Lease> lease(String node) {
        return client.leases().inNamespace(NAMESPACE).withName("declock-" + node);
    }

    private Resource<ConfigMap> kept(String node) {
        return client.configMaps().inNamespace(NAMESPACE).withName("declock-" + node);
    }

    private long elected(ElectionEngine engine) throws Exception {
        return ((Elected) engine.acquire(memoryNode, CANDIDATE, lease())).term();
    }

    private void electedInTime(ElectionEngine engine) {
        await().pollInterval(Duration.ofMillis(20))
                .atMost(lease().plus(late()))
                .until(() -> engine.acquire(memoryNode, "tcp://a2:7420", lease()) instanceof Elected);
    }

    @Test
    void whatPeopleSee() throws Exception {
        long term = elected(client());
        Lease seen = lease(memoryNode).get();
        assertThat(seen.getSpec().getHolderIdentity()).isEqualTo(CANDIDATE);
        assertThat(seen.getSpec().getLeaseTransitions()).isEqualTo((int) term);
        assertThat(seen.getSpec().getLeaseDurationSeconds()).isEqualTo(1);
        assertThat(kept(memoryNode).get().getData()).containsEntry("_term", Long.toString(term));
    }

    @Test
    void aLeaseThatSomebodyDeletesIsWaitedFor() throws Exception {
        ElectionEngine one = client();
        long term = elected(one);
        lease(memoryNode).delete();
        ElectionEngine two = client();
        long before = System.nanoTime();
        assertThat(two.acquire(memoryNode, "tcp://a2:7420", lease())).isEqualTo(new Held(term, CANDIDATE));
        assertThat(two.look(memoryNode)).contains(new Held(term, CANDIDATE));
        electedInTime(two);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(lease());
        assertThat(one.renew(memoryNode, term, lease())).isFalse();
        assertThat(lease(memoryNode).get().getSpec().getLeaseTransitions()).isEqualTo((int) term + 1);
    }

    @Test
    void withoutWhatWasKeptNobodyIsElected() throws Exception {
        ElectionEngine one = client();
        long term = elected(one);
        kept(memoryNode).delete();
        assertThatExceptionOfType(ElectionException.class)
                .isThrownBy(() -> {
                    one.keep(memoryNode, term, Map.of("mark", value("1")));
                    one.keep(memoryNode, term, Map.of("mark", value("2")));
                })
                .withMessageContaining("is gone; restore it");
        one.resign(memoryNode, term);
        assertThatExceptionOfType(ElectionException.class)
                .isThrownBy(() -> client().acquire(memoryNode, CANDIDATE, lease()))
                .withMessageContaining("delete the Lease of the same name too");
        lease(memoryNode).delete();
        assertThat(elected(client())).isEqualTo(1);
    }

    @Test
    void whoIsElectedLateChangesNothingOfTheTermThatFollowed() throws Exception {
        ElectionEngine one = client();
        long first = elected(one);
        assertThat(one.keep(memoryNode, first, Map.of("mark", value("1")))).isTrue();
        // Another client has the Lease of a later term and has not read yet what is kept.
        lease(memoryNode)
                .edit(lease -> new LeaseBuilder(lease)
                        .editSpec()
                        .withLeaseTransitions((int) first + 1)
                        .withHolderIdentity("tcp://a2:7420")
                        .endSpec()
                        .build());
        assertThat(one.keep(memoryNode, first, Map.of("mark", value("2")))).isTrue();
        ElectionEngine three = client();
        electedInTime(three);
        assertThat(one.keep(memoryNode, first, Map.of("mark", value("3")))).isFalse();
        assertThat(one.renew(memoryNode, first, lease())).isFalse();
        assertThat(kept(memoryNode).get().getBinaryData()).containsEntry("mark", "Mg==");
    }

    @Test
    void othersMayWriteToTheObjects() throws Exception {
        ElectionEngine one = client();
        long term = elected(one);
        label();
        assertThat(one.renew(memoryNode, term, lease())).isTrue();
        assertThat(one.keep(memoryNode, term, Map.of("mark", value("1")))).isTrue();
        label();
        assertThat(one.keep(memoryNode, term, Map.of("mark", value("2")))).isTrue();
        one.resign(memoryNode, term);
        Elected next = (Elected) client().acquire(memoryNode, CANDIDATE, lease());
        assertThat(next.kept()).containsOnlyKeys("mark");
    }

    private void label() {
        lease(memoryNode).edit(lease -> {
            lease.getMetadata().getLabels().put("seen", Long.toString(System.nanoTime()));
            return lease;
        });
        kept(memoryNode).edit(map -> {
            map.getMetadata().getLabels().put("seen", Long.toString(System.nanoTime()));
            return map;
        });
    }

    @Test
    void aRenewalMakesANewVersionWhateverTheTimeOfDay() throws Exception {
        ElectionEngine one = client();
        long term = elected(one);
        // As if the time of day had been set back by a day after this renewal.
        lease(memoryNode).edit(lease -> {
            lease.getSpec().setRenewTime(lease.getSpec().getRenewTime().plusDays(1));
            return lease;
        });
        one.renew(memoryNode, term, lease());
        String before = lease(memoryNode).get().getMetadata().getResourceVersion();
        assertThat(one.renew(memoryNode, term, lease())).isTrue();
        assertThat(lease(memoryNode).get().getMetadata().getResourceVersion()).isNotEqualTo(before);
        assertThat(lease(memoryNode).get().getSpec().getRenewTime().toInstant())
                .isAfter(Instant.now().plus(Duration.ofHours(23)));
    }

    @Test
    void aLeaseIsTakenOverOnlyAfterItsWholeLengthByTheOwnClock() throws Exception {
        ElectionEngine one = client();
        long term = elected(one);
        AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1);
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getPort())
                .build();
        try (KubernetesEngine two = new KubernetesEngine(
                new KubernetesClientBuilder().withConfig(config).build(), NAMESPACE, "declock-", TIMEOUT, clock::get)) {
            Held held = new Held(term, CANDIDATE);
            assertThat(two.look(memoryNode)).contains(held);
            clock.addAndGet(lease().toNanos() - 1);
            assertThat(two.acquire(memoryNode, CANDIDATE, lease())).isEqualTo(held);
            assertThat(one.renew(memoryNode, term, lease())).isTrue();
            clock.addAndGet(1);
            assertThat(two.acquire(memoryNode, CANDIDATE, lease())).isEqualTo(held);
            clock.addAndGet(lease().toNanos() - 1);
            assertThat(two.acquire(memoryNode, CANDIDATE, lease())).isEqualTo(held);
            clock.addAndGet(1);
            assertThat(two.look(memoryNode)).isEmpty();
            assertThat(two.acquire(memoryNode, CANDIDATE, lease())).isInstanceOf(Elected.class);
        }
    }

    @Test
    void theObjectsOfSomethingElseAreLeftAlone() throws Exception {
        client.leases()
                .inNamespace(NAMESPACE)
                .resource(new LeaseBuilder()
                        .withNewMetadata()
                        .withName("declock-" + memoryNode)
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity("scheduler")
                        .endSpec()
                        .build())
                .create();
        assertThatExceptionOfType(ElectionException.class)
                .isThrownBy(() -> client().acquire(memoryNode, CANDIDATE, lease()))
                .withMessageContaining("name-prefix");
    }

    @Test
    void idsThatNoObjectCanHaveGetANameOfTheirOwn() {
        assertThat(ObjectNames.of("declock-", "a1")).isEqualTo("declock-a1");
        assertThat(ObjectNames.of("declock-", "Böse/Nacht ")).matches("declock-xb-se-nacht\\.[0-9a-f]{16}");
        assertThat(ObjectNames.of("declock-", "A1")).isNotEqualTo(ObjectNames.of("declock-", "a1"));
        assertThat(ObjectNames.of("declock-", "é".repeat(256))).matches("declock-x\\.[0-9a-f]{16}");
        assertThat(ObjectNames.of("declock-", "B".repeat(256))).hasSizeLessThan(120);
    }

    @Test
    void anApiServerThatDoesNotAnswerFailsTheAttemptInTime() throws Exception {
        ElectionEngine engine = client();
        long term = elected(engine);
        stop(engine);
        long before = System.nanoTime();
        assertThatExceptionOfType(ElectionException.class)
                .isThrownBy(() -> engine.renew(memoryNode, term, Duration.ofSeconds(30)))
                .withMessageContaining(engine.title());
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(TIMEOUT.plusSeconds(1));
        goOn(engine);
        await().ignoreExceptions()
                .atMost(Duration.ofSeconds(10))
                .until(() -> engine.renew(memoryNode, term, Duration.ofSeconds(30)));
    }

    @Test
    void whoMayNotWriteIsToldWhatToAllow() throws Exception {
        KubernetesMockServer strict = new KubernetesMockServer(false);
        strict.init();
        strict.expect()
                .get()
                .withPath("/apis/coordination.k8s.io/v1/namespaces/locks/leases/declock-" + memoryNode)
                .andReturn(403, "{\"kind\":\"Status\",\"code\":403,\"message\":\"no\"}")
                .always();
        try (ElectionEngine engine = new KubernetesEngineProvider()
                .open(Map.of("namespace", NAMESPACE, "master-url", "http://127.0.0.1:" + strict.getPort()), TIMEOUT)) {
            assertThatExceptionOfType(ElectionException.class)
                    .isThrownBy(() -> engine.acquire(memoryNode, CANDIDATE, lease()))
                    .withMessageContaining("service account")
                    .withMessageContaining("configmaps");
        } finally {
            strict.destroy();
        }
    }

    @Test
    void aTermWhoseElectionFailedHalfwayDelaysNobodyIfItsClientTriesAgain() throws Exception {
        ElectionEngine one = client();
        long first = elected(one);
        one.resign(memoryNode, first);
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getPort())
                .build();
        // Its clock jumps at each look, so that it has time for a certain number of requests.
        AtomicLong left = new AtomicLong(Long.MAX_VALUE);
        AtomicLong clock = new AtomicLong();
        try (KubernetesEngine two = new KubernetesEngine(
                new KubernetesClientBuilder().withConfig(config).build(),
                NAMESPACE,
                "declock-",
                TIMEOUT,
                () -> left.getAndDecrement() > 0 ? clock.get() : clock.addAndGet(TIMEOUT.toNanos()))) {
            boolean halfway = false;
            for (int looks = 1; !halfway; looks++) {
                left.set(looks);
                assertThatExceptionOfType(ElectionException.class)
                        .isThrownBy(() -> two.acquire(memoryNode, CANDIDATE, Duration.ofSeconds(60)));
                Lease seen = lease(memoryNode).get();
                halfway = seen != null
                        && "60".equals(String.valueOf(seen.getSpec().getLeaseDurationSeconds()));
            }
            left.set(Long.MAX_VALUE);
            assertThat(client().acquire(memoryNode, CANDIDATE, lease())).isInstanceOf(Held.class);
            assertThat(two.acquire(memoryNode, CANDIDATE, lease())).isInstanceOf(Elected.class);
        }
    }

    @Test
    void anInterruptEndsAnAttempt() throws Exception {
        ElectionEngine engine = client();
        elected(engine);
        stop(engine);
        AtomicLong outcome = new AtomicLong();
        Thread thread = new Thread(() -> {
            try {
                engine.look(memoryNode);
            } catch (InterruptedException e) {
                outcome.set(1);
            } catch (ElectionException e) {
                outcome.set(2);
            }
        });
        thread.start();
        TimeUnit.MILLISECONDS.sleep(200);
        thread.interrupt();
        thread.join(TIMEOUT.toMillis());
        assertThat(outcome).hasValue(1);
    }

    @Test
    void settingsThatCannotBeUsedAreRefused() {
        refused(Map.of("name-prefix", "Locks_"), "name-prefix");
        refused(Map.of("master-url", "kubernetes"), "master-url");
        refused(Map.of("url", "x"), "url");
    }

    private static Optional<byte[]> value(String text) {
        return Optional.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void refused(Map<String, String> settings, String setting) {
        assertThatExceptionOfType(InvalidElectionSettingException.class)
                .isThrownBy(() -> new KubernetesEngineProvider().open(settings, TIMEOUT))
                .satisfies(e -> assertThat(e.setting()).isEqualTo(setting));
    }
}
