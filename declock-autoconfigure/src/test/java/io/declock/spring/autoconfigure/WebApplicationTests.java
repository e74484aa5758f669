// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.json.BasicJsonTester;
import org.springframework.boot.test.json.JsonContent;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A whole web application with the actuator, as a user starts it, without any property of ours. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always",
            "management.endpoint.health.probes.enabled=true",
            "management.endpoint.configprops.show-values=always",
            "management.endpoint.env.show-values=always",
            "declock.secret=hush-hush-hush-hush"
        })
class WebApplicationTests {
    private final BasicJsonTester json = new BasicJsonTester(getClass());

    @Value("${local.server.port}")
    private int port;

    @Autowired
    private DistributedReadWriteLock lock;

    @Autowired
    private ComputeNodeMonitor monitor;

    @Test
    void aTestHasAMemoryNodeOfItsOwn() {
        assertThat(monitor.memoryNodes())
                .singleElement()
                .satisfies(view -> assertThat(view.address()).startsWith("inprocess://"));
    }

    @Test
    void requestsAreLocked() throws Exception {
        assertThat(get("/orders/42").body()).isEqualTo("true");
    }

    @Test
    void healthHasABlockPerMemoryNode() throws Exception {
        JsonContent<?> health = json(get("/actuator/health/declock"));
        assertThat(health).extractingJsonPathStringValue("status").isEqualTo("UP");
        assertThat(health)
                .extractingJsonPathMapValue("components.embedded.details")
                .containsKeys(
                        "state",
                        "address",
                        "id",
                        "leaseLeftMillis",
                        "recordsInUse",
                        "recordsTotal",
                        "members",
                        "embedded",
                        "circuitBreaker");
        assertThat(health)
                .extractingJsonPathStringValue("components.embedded.details.embedded")
                .isEqualTo("a memory node for this instance alone");
        assertThat(health)
                .extractingJsonPathStringValue("components.embedded.details.circuitBreaker")
                .isEqualTo("CLOSED");
    }

    @Test
    void healthAndEndpointTellHeldLocksFromKeptOnes() throws Exception {
        try (LockHandle handle = lock.acquire(LockRequest.write("held:1"))) {
            assertThat(handle.isValid()).isTrue();
            assertThat(json(get("/actuator/health/declock")))
                    .extractingJsonPathNumberValue("components.embedded.details.heldNow")
                    .isEqualTo(1);
        }
        for (int i = 0; i < 10; i++) {
            lock.acquire(LockRequest.write("kept:1")).close();
        }
        Awaitility.await().until(() -> monitor.keptNow() == 1);
        JsonContent<?> health = json(get("/actuator/health/declock"));
        assertThat(health)
                .extractingJsonPathNumberValue("components.embedded.details.heldNow")
                .isEqualTo(0);
        assertThat(health)
                .extractingJsonPathNumberValue("components.embedded.details.keptNow")
                .isEqualTo(1);
        JsonContent<?> locks = json(get("/actuator/declock"));
        assertThat(locks).extractingJsonPathNumberValue("heldNow").isEqualTo(0);
        assertThat(locks).extractingJsonPathNumberValue("keptNow").isEqualTo(1);
    }

    @Test
    void theLivenessGroupDoesNotKnowTheMemoryNode() throws Exception {
        assertThat(get("/actuator/health/liveness").body())
                .doesNotContain("declock")
                .contains("UP");
        assertThat(get("/actuator/health/readiness").body())
                .doesNotContain("declock")
                .contains("UP");
    }

    @Test
    void theEndpointShowsWhatIsHeldAndWaitedFor() throws Exception {
        try (LockHandle handle = lock.acquire(LockRequest.write("order:1"), LockOwner.named("job 7"))) {
            var waiting = lock.acquireAsync(LockRequest.read("order:1"), LockOwner.named("reader"))
                    .toCompletableFuture();
            Awaitility.await().until(() -> monitor.waitingNow() == 1);
            JsonContent<?> locks = json(get("/actuator/declock"));
            assertThat(locks).extractingJsonPathNumberValue("heldNow").isEqualTo(1);
            assertThat(locks).extractingJsonPathStringValue("held[0].name").isEqualTo("order:1");
            assertThat(locks).extractingJsonPathStringValue("held[0].mode").isEqualTo("WRITE");
            assertThat(locks).extractingJsonPathStringValue("held[0].owner").isEqualTo("job 7");
            assertThat(locks)
                    .extractingJsonPathNumberValue("held[0].fencingToken")
                    .isEqualTo(handle.fencingToken());
            assertThat(locks)
                    .extractingJsonPathNumberValue("held[0].ageMillis")
                    .satisfies(age -> assertThat(age.longValue()).isBetween(0L, 60_000L));
            assertThat(locks).extractingJsonPathStringValue("waiting[0].owner").isEqualTo("reader");
            assertThat(locks)
                    .extractingJsonPathNumberValue("waiting[0].queuePosition")
                    .isEqualTo(0);
            assertThat(locks)
                    .extractingJsonPathStringValue("memoryNodes[0].state")
                    .isEqualTo("UP");
            waiting.cancel(true);
        }
    }

    @Test
    void theEndpointLooksOneNameUpAtItsMemoryNode() throws Exception {
        try (LockHandle handle = lock.acquire(LockRequest.write("path/with/slashes"), LockOwner.named("job"))) {
            assertThat(handle.isValid()).isTrue();
            JsonContent<?> one = json(get("/actuator/declock/path/with/slashes"));
            assertThat(one).extractingJsonPathStringValue("name").isEqualTo("path/with/slashes");
            assertThat(one).extractingJsonPathNumberValue("record.size").isEqualTo(1);
            assertThat(one).extractingJsonPathNumberValue("record.writers").isEqualTo(1);
            assertThat(one).extractingJsonPathStringValue("here[0].owner").isEqualTo("job");
        }
        assertThat(get("/actuator/declock/never-used").statusCode()).isEqualTo(404);
        assertThat(json(get("/actuator/declock/" + "x".repeat(600))))
                .extractingJsonPathStringValue("problem")
                .contains("512");
    }

    @Test
    void nothingShowsTheSecret() throws Exception {
        for (String path : new String[] {
            "/actuator/configprops", "/actuator/env", "/actuator/declock", "/actuator/health", "/actuator/beans"
        }) {
            assertThat(get(path).body()).as(path).doesNotContain("hush");
        }
    }

    @Test
    void metricsAreThere() throws Exception {
        get("/orders/42");
        assertThat(get("/actuator/metrics").body())
                .contains(
                        "declock.wait",
                        "declock.hold",
                        "declock.grants",
                        "declock.remote.operations",
                        "declock.held",
                        "declock.memory.node.up",
                        "resilience4j.circuitbreaker.state");
        assertThat(json(get("/actuator/metrics/declock.memory.node.up")))
                .extractingJsonPathNumberValue("measurements[0].value")
                .isEqualTo(1.0);
        assertThat(json(get("/actuator/metrics/declock.wait?tag=mode:write")))
                .extractingJsonPathNumberValue("measurements[0].value")
                .satisfies(count -> assertThat(count.doubleValue()).isPositive());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private JsonContent<?> json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return json.from(response.body());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    @Import(Orders.class)
    static class Application {}

    @RestController
    static class Orders {
        @GetMapping("/orders/{id}")
        @DecLocked(name = "order", key = "#id")
        public boolean order(@PathVariable("id") long id) {
            return DecLockContext.currentToken() > 0;
        }
    }
}
