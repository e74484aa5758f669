// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.Contexts;
import io.declock.spring.autoconfigure.DecLockMetricsAutoConfiguration;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.tracer.common.SpanContext;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What traces show of holds, and how metrics lead to traces. */
class ObservedHoldsTests {
    private static final String HOLD = "declock.holding";
    private static final LockOwner OTHER = LockOwner.named("other");

    private final TestObservationRegistry observations = TestObservationRegistry.create();
    private final ApplicationContextRunner runner = Contexts.locks()
            .withConfiguration(AutoConfigurations.of(DecLockMetricsAutoConfiguration.class))
            .withBean(TestObservationRegistry.class, () -> observations)
            .withPropertyValues("declock.observation.enabled=true");

    private TestObservationRegistryAssert assertThatObservations() {
        return TestObservationRegistryAssert.assertThat(observations);
    }

    @Test
    void aHoldIsObservedFromItsGrantToItsLastRelease() {
        runner.run(context -> {
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            LockHandle first = lock.acquire(LockRequest.write("x"), OTHER);
            LockHandle again = lock.acquire(LockRequest.write("x"), OTHER);
            first.close();
            assertThatObservations()
                    .hasNumberOfObservationsWithNameEqualTo(HOLD, 1)
                    .hasObservationWithNameEqualTo(HOLD)
                    .that()
                    .hasBeenStarted()
                    .isNotStopped();
            again.close();
            assertThatObservations()
                    .hasNumberOfObservationsWithNameEqualTo(HOLD, 1)
                    .hasObservationWithNameEqualTo(HOLD)
                    .that()
                    .hasBeenStopped()
                    .doesNotHaveError()
                    .hasContextualNameEqualTo("declock hold")
                    .hasLowCardinalityKeyValue("mode", "write")
                    .hasLowCardinalityKeyValue("lost", "false")
                    .hasHighCardinalityKeyValue("lock", "x")
                    .hasHighCardinalityKeyValue("fencing.token", Long.toString(first.fencingToken()));
        });
    }

    @Test
    void aHoldThatIsLostEndsWithAnErrorAndNotAgainWithItsRelease() {
        runner.run(context -> {
            LockHandle handle = context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write("x").leaseTime(Duration.ofMillis(20)), OTHER);
            await().until(() -> !handle.isValid());
            await().untilAsserted(() -> assertThatObservations()
                    .hasObservationWithNameEqualTo(HOLD)
                    .that()
                    .hasBeenStopped()
                    .hasError()
                    .hasLowCardinalityKeyValue("lost", "true"));
            observations.clear();
            try {
                handle.close();
            } catch (RuntimeException e) {
                // The lock was lost.
            }
            assertThatObservations().hasNumberOfObservationsWithNameEqualTo(HOLD, 0);
        });
    }

    @Test
    void aHoldThatStaysTakenEndsForItsOwnerWithTheRelease() {
        runner.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    context.getBean(DistributedReadWriteLock.class)
                            .acquire(LockRequest.write("x").holdAtLeast(Duration.ofSeconds(20)), OTHER)
                            .close();
                    assertThatObservations()
                            .hasObservationWithNameEqualTo(HOLD)
                            .that()
                            .hasBeenStopped()
                            .doesNotHaveError();
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("declock.hold")
                                    .tags("mode", "write")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                });
    }

    @Test
    void locksHeldThroughViewsAreObserved() {
        runner.run(context -> {
            Lock reader =
                    context.getBean(DistributedReadWriteLock.class).lock("x").readLock();
            reader.lock();
            reader.unlock();
            assertThatObservations()
                    .hasObservationWithNameEqualTo(HOLD)
                    .that()
                    .hasBeenStopped()
                    .hasLowCardinalityKeyValue("mode", "read");
        });
    }

    @Test
    void eachLockOfARequestHasAHold() {
        runner.run(context -> {
            context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write("x").andRead("y"), OTHER)
                    .close();
            assertThatObservations().hasNumberOfObservationsWithNameEqualTo(HOLD, 2);
        });
    }

    @Test
    void aHoldBelongsToWhatItsAcquisitionBelongsTo() {
        runner.run(context -> {
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            Observation order = Observation.start("order", observations);
            order.scopedChecked(
                    () -> lock.acquire(LockRequest.write("x"), OTHER).close());
            assertThatObservations().hasObservationWithNameEqualTo(HOLD).that().hasParentObservationEqualTo(order);
            observations.clear();
            LockHandle waitedFor = lock.acquire(LockRequest.write("x"), OTHER);
            observations.clear();
            order.scopedChecked(() -> {
                var later = lock.acquireAsync(LockRequest.write("x"), LockOwner.named("third"));
                waitedFor.close();
                later.toCompletableFuture().get(10, SECONDS).close();
            });
            assertThatObservations().hasObservationWithNameEqualTo(HOLD).that().hasParentObservationEqualTo(order);
            order.stop();
        });
    }

    @Test
    void aHoldWithNothingAroundItBelongsToItsAcquisition() {
        runner.run(context -> {
            context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write("x"), OTHER)
                    .close();
            assertThatObservations()
                    .hasObservationWithNameEqualTo(HOLD)
                    .that()
                    .hasParentObservationContextSatisfying(
                            parent -> assertThat(parent.getName()).isEqualTo("declock.acquire"));
            observations.clear();
            context.getBean(DistributedReadWriteLock.class)
                    .acquireAsync(LockRequest.write("x"), OTHER)
                    .toCompletableFuture()
                    .get(10, SECONDS)
                    .close();
            assertThatObservations()
                    .hasObservationWithNameEqualTo(HOLD)
                    .that()
                    .hasParentObservationContextSatisfying(
                            parent -> assertThat(parent.getName()).isEqualTo("declock.acquire"));
        });
    }

    @Test
    void aConventionOfTheApplicationReplacesNamesAndKeyValues() {
        HoldConvention own = new DefaultHoldConvention() {
            @Override
            public String getName() {
                return "shop.holding";
            }

            @Override
            public KeyValues getHighCardinalityKeyValues(HoldContext context) {
                return KeyValues.of(
                        "order",
                        context.lock() + " " + context.mode() + " " + (context.fencingToken() > 0 ? "fenced" : ""));
            }
        };
        runner.withBean(HoldConvention.class, () -> own).run(context -> {
            context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write("order:42"), OTHER)
                    .close();
            assertThatObservations()
                    .hasObservationWithNameEqualTo("shop.holding")
                    .that()
                    .hasHighCardinalityKeyValue("order", "order:42 WRITE fenced");
        });
    }

    @Test
    void theDocumentationOfObservationsNamesTheirKeyValues() {
        assertThat(LockObservation.HOLD.getDefaultConvention()).isEqualTo(DefaultHoldConvention.class);
        HoldContext began = new HoldContext("x", LockMode.READ, 7);
        DefaultHoldConvention convention = new DefaultHoldConvention();
        assertThat(convention.getLowCardinalityKeyValues(began))
                .extracting(KeyValue::getKey, KeyValue::getValue)
                .containsExactlyInAnyOrder(tuple("mode", "read"), tuple("lost", "false"));
        assertThat(LockObservation.HOLD.getLowCardinalityKeyNames())
                .extracting(KeyName::asString)
                .containsExactlyInAnyOrder("mode", "lost");
        assertThat(LockObservation.HOLD.getHighCardinalityKeyNames())
                .extracting(KeyName::asString)
                .containsExactly("lock", "fencing.token");
    }

    @Test
    void withoutTheSettingNothingIsObserved() {
        runner.withPropertyValues("declock.observation.enabled=false").run(context -> {
            context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write("x"), OTHER)
                    .close();
            assertThatObservations().hasNumberOfObservationsEqualTo(0);
        });
    }

    /** The span in which a thread is, as a tracer tells Prometheus's client. */
    private static final class OneSpan implements SpanContext {
        private final ThreadLocal<String> trace = new ThreadLocal<>();

        @Override
        public String getCurrentTraceId() {
            return trace.get();
        }

        @Override
        public String getCurrentSpanId() {
            return trace.get() == null ? null : "00f067aa0ba902b7";
        }

        @Override
        public boolean isCurrentSpanSampled() {
            return trace.get() != null;
        }

        @Override
        public void markCurrentSpanAsExemplar() {}
    }

    @Test
    void timersOfWaitsAndHoldsHaveTheTraceOfTheCallerAsAnExemplar() {
        String id = "4bf92f3577b34da6a3ce929d0e0e4736";
        OneSpan span = new OneSpan();
        PrometheusMeterRegistry prometheus =
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM, span);
        Contexts.locks()
                .withConfiguration(
                        AutoConfigurations.of(MetricsAutoConfiguration.class, DecLockMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> prometheus)
                .run(context -> {
                    DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
                    span.trace.set(id);
                    lock.acquire(LockRequest.write("x"), OTHER).close();
                    span.trace.remove();
                    String scraped = prometheus.scrape("application/openmetrics-text; version=1.0.0; charset=utf-8");
                    for (String timer : new String[] {"declock_wait_seconds_count", "declock_hold_seconds_count"}) {
                        assertThat(scraped.lines())
                                .filteredOn(line -> line.startsWith(timer) && line.contains("mode=\"write\""))
                                .anySatisfy(line -> assertThat(Objects.requireNonNull(line))
                                        .contains("# {", "trace_id=\"" + id + "\""));
                    }
                });
    }
}
