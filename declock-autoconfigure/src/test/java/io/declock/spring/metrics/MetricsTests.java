// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.Contexts;
import io.declock.spring.autoconfigure.DecLockMetricsAutoConfiguration;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Names, tags and values of the meters. */
class MetricsTests {
    private static final LockOwner OTHER = LockOwner.named("other");

    private final ApplicationContextRunner runner = Contexts.locks()
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class,
                    DecLockMetricsAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class);

    @Test
    void theLongestHoldIsShownWithoutReservedAndKeptLocks() {
        runner.run(context -> {
            TimeGauge longest = context.getBean(MeterRegistry.class)
                    .get("declock.hold.longest")
                    .timeGauge();
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            assertThat(longest.value()).isZero();
            try (LockHandle first = lock.acquire(LockRequest.write("first"))) {
                Thread.sleep(30);
                List<LockHandle> younger = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    younger.add(lock.acquire(LockRequest.write("younger:" + i)));
                }
                assertThat(longest.value(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(30);
                younger.forEach(LockHandle::close);
                assertThat(first.isValid()).isTrue();
                try (LockHandle job = lock.acquire(LockRequest.write("job").holdAtLeast(Duration.ofMinutes(1)))) {
                    assertThat(job.isValid()).isTrue();
                }
            }
            Thread.sleep(5);
            long before = System.nanoTime();
            try (LockHandle young = lock.acquire(LockRequest.write("young"))) {
                assertThat(young.isValid()).isTrue();
                double shown = longest.value(TimeUnit.NANOSECONDS);
                assertThat(shown).isPositive().isLessThanOrEqualTo(System.nanoTime() - before);
            }
            assertThat(longest.value()).isZero();
        });
    }

    @Test
    void heldLocksAreToldFromKeptOnes() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            Gauge held = registry.get("declock.held").gauge();
            Gauge kept = registry.get("declock.kept").gauge();
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            for (int i = 0; i < 10; i++) {
                lock.acquire(LockRequest.write("kept")).close();
            }
            await().untilAsserted(() -> assertThat(kept.value()).isEqualTo(1));
            assertThat(held.value()).isZero();
        });
    }

    @Test
    void waitsAndHoldsAreTimedByModeAndKind() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            try (LockHandle handle = lock.acquire(LockRequest.write("x"))) {
                assertThat(registry.get("declock.held").gauge().value()).isEqualTo(1);
                Thread.sleep(20);
                assertThat(handle.isValid()).isTrue();
            }
            lock.acquire(LockRequest.read("x")).close();
            assertThat(registry.get("declock.wait")
                            .tags("mode", "write", "kind", "uncontended")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("declock.wait").tags("mode", "read").timers().stream()
                            .mapToLong(timer -> timer.count())
                            .sum())
                    .isEqualTo(1);
            assertThat(registry.get("declock.hold")
                            .tags("mode", "write")
                            .timer()
                            .totalTime(TimeUnit.MILLISECONDS))
                    .isGreaterThan(15);
            assertThat(registry.get("declock.grants").functionCounters().stream()
                            .mapToDouble(counter -> counter.count())
                            .sum())
                    .isEqualTo(2);
            assertThat(registry.get("declock.remote.operations")
                            .tags("verb", "fetch.and.add", "purpose", "acquire")
                            .functionCounter()
                            .count())
                    .isPositive();
            assertThat(registry.get("declock.names").gauge().value()).isEqualTo(1);
            assertThat(registry.get("declock.event.loop.lag").timeGauge().value(TimeUnit.MINUTES))
                    .isBetween(0.0, 1.0);
        });
    }

    @Test
    void acquisitionsThatFailAreTimedApart() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            try (LockHandle handle = lock.acquire(LockRequest.write("x"), OTHER)) {
                assertThatExceptionOfType(LockNotGrantedException.class)
                        .isThrownBy(() -> lock.acquire(LockRequest.write("x").waitTime(Duration.ofMillis(20))));
                assertThat(handle.isValid()).isTrue();
            }
            assertThat(registry.get("declock.wait.failed")
                            .tags("mode", "write", "outcome", "timed.out")
                            .timer()
                            .count())
                    .isEqualTo(1);
        });
    }

    @Test
    void holdsThatAreLostAreCounted() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            LockHandle handle = context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write("x").leaseTime(Duration.ofMillis(20)));
            Thread.sleep(200);
            assertThat(handle.isValid()).isFalse();
            assertThat(registry.get("declock.lost")
                            .tags("mode", "write")
                            .counter()
                            .count())
                    .isEqualTo(1);
        });
    }

    @Test
    void eachMemoryNodeHasItsGauges() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write("x"))
                    .close();
            assertThat(registry.get("declock.memory.node.up")
                            .tags("memory.node", "embedded")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            assertThat(registry.get("declock.memory.node.lease.left")
                            .tags("memory.node", "embedded")
                            .timeGauge()
                            .value(TimeUnit.SECONDS))
                    .isBetween(0.5, 3.0);
            assertThat(registry.get("declock.memory.node.records.total").gauge().value())
                    .isEqualTo(65536);
            assertThat(registry.get("declock.memory.node.members").gauge().value())
                    .isEqualTo(1);
        });
    }

    @Test
    void tagsNeverCarryLockNames() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write("secret-customer"))
                    .close();
            List<Meter> ours = registry.getMeters().stream()
                    .filter(meter -> meter.getId().getName().startsWith("declock."))
                    .toList();
            Set<String> keys = ours.stream()
                    .flatMap(meter -> meter.getId().getTags().stream())
                    .map(Tag::getKey)
                    .collect(Collectors.toSet());
            assertThat(keys)
                    .containsExactlyInAnyOrder(
                            "mode", "kind", "outcome", "verb", "purpose", "stage", "reason", "route", "memory.node");
            assertThat(ours)
                    .allSatisfy(meter -> assertThat(meter.getId().toString()).doesNotContain("secret-customer"));
            assertThat(ours)
                    .allSatisfy(
                            meter -> assertThat(meter.getId().getDescription()).isNotBlank());
        });
    }

    @Test
    void meteringsSurviveThatTheApplicationIsStoppedAndStarted() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            context.getSourceApplicationContext().stop();
            assertThat(registry.get("declock.memory.node.up").gauge().value()).isZero();
            assertThat(registry.get("declock.memory.node.round.trip")
                            .timeGauge()
                            .value())
                    .isNaN();
        });
    }

    @Test
    void observationsTellHowLongAnAcquisitionTookAndHowItEnded() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        runner.withBean(TestObservationRegistry.class, () -> observations)
                .withPropertyValues("declock.observation.enabled=true")
                .run(context -> {
                    DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
                    LockHandle handle = lock.acquireAsync(LockRequest.write("x"), OTHER)
                            .toCompletableFuture()
                            .join();
                    TestObservationRegistryAssert.assertThat(observations)
                            .hasObservationWithNameEqualTo("declock.acquire")
                            .that()
                            .hasBeenStopped()
                            .hasLowCardinalityKeyValue("mode", "write")
                            .hasLowCardinalityKeyValue("outcome", "granted")
                            .hasHighCardinalityKeyValue("locks", "x");
                    observations.clear();
                    assertThat(lock.tryAcquire(LockRequest.read("x").waitTime(Duration.ZERO)))
                            .isEmpty();
                    TestObservationRegistryAssert.assertThat(observations)
                            .hasObservationWithNameEqualTo("declock.acquire")
                            .that()
                            .hasLowCardinalityKeyValue("outcome", "not.granted")
                            .doesNotHaveError();
                    handle.close();
                });
    }

    @Test
    void aConventionOfTheApplicationReplacesNamesAndKeyValues() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        AcquisitionConvention own = new DefaultAcquisitionConvention() {
            @Override
            public String getName() {
                return "shop.lock";
            }

            @Override
            public KeyValues getLowCardinalityKeyValues(AcquisitionContext context) {
                String kind = context.request().name().replaceAll(":.*", "");
                return super.getLowCardinalityKeyValues(context).and("kind", kind);
            }
        };
        runner.withBean(TestObservationRegistry.class, () -> observations)
                .withBean(AcquisitionConvention.class, () -> own)
                .withPropertyValues("declock.observation.enabled=true")
                .run(context -> {
                    context.getBean(DistributedReadWriteLock.class)
                            .acquire(LockRequest.write("order:42"), OTHER)
                            .close();
                    TestObservationRegistryAssert.assertThat(observations)
                            .hasObservationWithNameEqualTo("shop.lock")
                            .that()
                            .hasContextualNameEqualTo("declock acquire")
                            .hasLowCardinalityKeyValue("kind", "order")
                            .hasLowCardinalityKeyValue("outcome", "granted")
                            .hasHighCardinalityKeyValue("locks", "order:42");
                });
    }

    @Test
    void theDocumentationOfObservationsNamesTheirKeyValues() {
        assertThat(LockObservation.ACQUIRE.getDefaultConvention()).isEqualTo(DefaultAcquisitionConvention.class);
        AcquisitionContext began = new AcquisitionContext(LockRequest.read("x"));
        DefaultAcquisitionConvention convention = new DefaultAcquisitionConvention();
        assertThat(convention.getLowCardinalityKeyValues(began))
                .extracting(KeyValue::getKey, KeyValue::getValue)
                .containsExactlyInAnyOrder(tuple("mode", "read"), tuple("outcome", "pending"));
        assertThat(LockObservation.ACQUIRE.getLowCardinalityKeyNames())
                .extracting(KeyName::asString)
                .containsExactlyInAnyOrder("mode", "outcome");
        assertThat(LockObservation.ACQUIRE.getHighCardinalityKeyNames())
                .extracting(KeyName::asString)
                .containsExactly("locks");
    }

    @Test
    void locksTakenThroughViewsAreObserved() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        runner.withBean(TestObservationRegistry.class, () -> observations)
                .withPropertyValues("declock.observation.enabled=true")
                .run(context -> {
                    DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
                    Lock writer = lock.lock("x").writeLock();
                    for (Taking taking : List.<Taking>of(
                            Lock::lock, Lock::lockInterruptibly, Lock::tryLock, view -> view.tryLock(1, SECONDS))) {
                        observations.clear();
                        taking.take(writer);
                        writer.unlock();
                        TestObservationRegistryAssert.assertThat(observations)
                                .hasNumberOfObservationsWithNameEqualTo("declock.acquire", 1)
                                .hasObservationWithNameEqualTo("declock.acquire")
                                .that()
                                .hasBeenStopped()
                                .hasLowCardinalityKeyValue("mode", "write")
                                .hasLowCardinalityKeyValue("outcome", "granted")
                                .hasHighCardinalityKeyValue("locks", "x");
                    }
                    try (LockHandle other = lock.acquire(LockRequest.write("x"), OTHER)) {
                        observations.clear();
                        assertThat(lock.lock("x").readLock().tryLock()).isFalse();
                        TestObservationRegistryAssert.assertThat(observations)
                                .hasSingleObservationThat()
                                .hasLowCardinalityKeyValue("mode", "read")
                                .hasLowCardinalityKeyValue("outcome", "not.granted")
                                .doesNotHaveError();
                        assertThat(other.isValid()).isTrue();
                    }
                });
    }

    /** One way to take a lock through its view. */
    @FunctionalInterface
    private interface Taking {
        void take(Lock view) throws InterruptedException;
    }
}
