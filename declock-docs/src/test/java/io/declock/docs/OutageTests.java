// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.test.TestLocks;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** What docs/production.md says that logs, health and metrics show. */
@SpringBootTest(
        classes = OutageTests.Application.class,
        webEnvironment = WebEnvironment.NONE,
        properties = {
            "spring.datasource.generate-unique-name=true",
            "management.defaults.metrics.export.enabled=true",
            "declock.wait-time=300ms"
        })
@ExtendWith(OutputCaptureExtension.class)
@Timeout(60)
class OutageTests {
    @Configuration
    @EnableAutoConfiguration
    static class Application {}

    @Autowired
    private DistributedReadWriteLock locks;

    @Autowired
    private TestLocks testLocks;

    @Autowired
    private HealthContributorRegistry health;

    @Autowired
    private MeterRegistry meters;

    @Test
    void anUnavailableMemoryNode(CapturedOutput output) throws Exception {
        try (TestLocks.Outage outage = testLocks.unavailable()) {
            assertThat(outage).isNotNull();
            await().until(() -> "DOWN".equals(health().getStatus().getCode()));
            assertThat(health().getDetails()).containsKey("problem");
            assertThat(meters.get("declock.memory.node.up").gauge().value()).isZero();
            refused();
            assertThat(failed("unavailable")).isPositive();
            await().until(() -> {
                refused();
                return "OPEN".equals(String.valueOf(health().getDetails().get("circuitBreaker")));
            });
        }
        assertThat(health().getStatus().getCode()).isEqualTo("UP");
        assertShown(output, "Session with memory node", "was lost", "Joining again.");
    }

    @Test
    void aLostSession(CapturedOutput output) throws Exception {
        LockHandle handle = locks.acquire(LockRequest.write("order:43"));
        testLocks.loseAll();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        assertThat(meters.get("declock.lost").counters())
                .anySatisfy(counter -> assertThat(counter.count()).isPositive());
        assertThat(meters.get("declock.sessions.lost").functionCounter().count())
                .isPositive();
        assertShown(output, "Session with memory node", "was lost", "Joining again.");
    }

    @Test
    void aLockThatIsHeldForLong() {
        try (LockHandle elsewhere = testLocks.holdElsewhere("order:44")) {
            assertThat(elsewhere.isValid()).isTrue();
            assertThatExceptionOfType(LockNotGrantedException.class)
                    .isThrownBy(() -> locks.acquire(LockRequest.write("order:44")));
        }
        assertThat(failed("timed.out")).isPositive();
        assertThat(health().getStatus().getCode()).isEqualTo("UP");
    }

    /** The log has a line with these parts, and the page shows each of them. */
    private static void assertShown(CapturedOutput output, String... parts) throws Exception {
        assertThat(output.getAll().lines()).anySatisfy(line -> assertThat(line).contains(parts));
        assertThat(Files.readString(Path.of("..", "docs", "production.md"))).contains(parts);
    }

    private void refused() {
        assertThatExceptionOfType(MemoryNodeUnavailableException.class)
                .isThrownBy(() -> locks.acquire(LockRequest.write("order:42")));
    }

    private Health health() {
        var contributor = health.getContributor("declock");
        if (contributor instanceof CompositeHealthContributor composite) {
            contributor = composite.stream().findFirst().orElseThrow().contributor();
        }
        return ((HealthIndicator) contributor).health(true);
    }

    private double failed(String outcome) {
        return meters.get("declock.wait.failed").tag("outcome", outcome).timers().stream()
                .mapToLong(timer -> timer.count())
                .sum();
    }
}
