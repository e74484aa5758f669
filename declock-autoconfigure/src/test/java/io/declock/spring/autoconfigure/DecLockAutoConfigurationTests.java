// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockTemplate;
import io.declock.MemoryNodeView;
import io.declock.spi.LockObserver;
import io.declock.spring.AcquisitionInterceptor;
import io.declock.spring.Contexts;
import io.declock.spring.aop.DecLockedAdvisor;
import io.declock.spring.endpoint.DecLockEndpoint;
import io.declock.spring.info.DecLockInfoContributor;
import io.declock.spring.metrics.DecLockMetrics;
import io.declock.spring.metrics.MeteredLockObserver;
import io.declock.spring.metrics.ObservedAcquisitions;
import io.declock.spring.resilience.AcquisitionRetry;
import io.declock.spring.resilience.MemoryNodeCircuits;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.github.resilience4j.retry.RetryRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Which beans there are, under which conditions. */
class DecLockAutoConfigurationTests {
    private final ApplicationContextRunner runner = Contexts.locks()
            .withConfiguration(AutoConfigurations.of(
                    DecLockEndpointAutoConfiguration.class,
                    DecLockHealthContributorAutoConfiguration.class,
                    DecLockInfoContributorAutoConfiguration.class,
                    DecLockMetricsAutoConfiguration.class,
                    DecLockResilienceAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=*");

    @Test
    void withoutAnyConfigurationThereIsALockThatWorks() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(DistributedReadWriteLock.class).hasSingleBean(DecLockedAdvisor.class);
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            try (LockHandle handle = lock.acquire(LockRequest.write("x"))) {
                assertThat(handle.fencingToken()).isPositive();
            }
            lock.lock("y").writeLock().lock();
            lock.lock("y").writeLock().unlock();
        });
    }

    @Test
    void anApplicationsOwnLockIsUsedForMethodsAndNothingElseIsStarted() {
        DistributedReadWriteLock own = Mockito.mock(DistributedReadWriteLock.class);
        runner.withBean(DistributedReadWriteLock.class, () -> own).run(context -> {
            assertThat(context).getBean(DistributedReadWriteLock.class).isSameAs(own);
            assertThat(context).hasSingleBean(DecLockedAdvisor.class);
            assertThat(context)
                    .doesNotHaveBean(DecLockNode.class)
                    .doesNotHaveBean(PhasedLifecycle.class)
                    .doesNotHaveBean(HealthContributor.class)
                    .doesNotHaveBean(DecLockEndpoint.class)
                    .doesNotHaveBean(MemoryNodeCircuits.class);
        });
    }

    /** As the documentation shows it. */
    @Configuration(proxyBeanMethods = false)
    static class DirectCompletions {
        @Bean(defaultCandidate = false)
        Executor decLockCompletionExecutor() {
            return Runnable::run;
        }
    }

    @Test
    void anApplicationsExecutorOfThatNameCompletesStagesThatWait() {
        runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .withUserConfiguration(DirectCompletions.class)
                .run(context -> {
                    assertThat(completedBy(context.getBean(DistributedReadWriteLock.class)))
                            .isSameAs(Thread.currentThread());
                    assertThat(context).hasBean("applicationTaskExecutor");
                });
    }

    @Test
    void withoutSuchAnExecutorAThreadOfTheLibraryCompletesThem() {
        runner.withBean("another", Executor.class, () -> Runnable::run)
                .run(context -> assertThat(completedBy(context.getBean(DistributedReadWriteLock.class))
                                .getName())
                        .endsWith("-declock-callback"));
    }

    /** Returns the thread that completes the stage of a request when this thread gives the lock back. */
    private static Thread completedBy(DistributedReadWriteLock lock) throws Exception {
        LockHandle held = lock.acquire(LockRequest.write("x"));
        CompletableFuture<Thread> by = lock.acquireAsync(LockRequest.write("x"), LockOwner.named("other"))
                .thenApply(handle -> {
                    handle.close();
                    return Thread.currentThread();
                })
                .toCompletableFuture();
        held.close();
        return by.get(30, TimeUnit.SECONDS);
    }

    @Test
    void theTemplateRunsCodeUnderTheLock() {
        runner.run(context -> {
            LockTemplate template = context.getBean(LockTemplate.class);
            DistributedReadWriteLock lock = context.getBean(DistributedReadWriteLock.class);
            LockRequest now = LockRequest.write("x").waitTime(Duration.ZERO);
            LockOwner other = LockOwner.named("another owner");
            template.run(
                    "x",
                    handle -> assertThatThrownBy(() -> lock.acquire(now, other))
                            .isInstanceOf(LockNotGrantedException.class));
            lock.acquire(now, other).close();
        });
        LockTemplate own = new LockTemplate(Mockito.mock(DistributedReadWriteLock.class));
        runner.withBean(LockTemplate.class, () -> own)
                .run(context -> assertThat(context).getBean(LockTemplate.class).isSameAs(own));
        runner.withBean("one", DistributedReadWriteLock.class, () -> Mockito.mock(DistributedReadWriteLock.class))
                .withBean("two", DistributedReadWriteLock.class, () -> Mockito.mock(DistributedReadWriteLock.class))
                .withPropertyValues("declock.aop.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(LockTemplate.class));
    }

    @Test
    void connectionDetailsTakeThePlaceOfProperties() {
        DecLockConnectionDetails details = () -> List.of("tcp://127.0.0.1:1", "127.0.0.1:2");
        runner.withBean(DecLockConnectionDetails.class, () -> details)
                .withPropertyValues("declock.memory-nodes=tcp://ignored:1", "declock.startup.timeout=0s")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(PropertiesDecLockConnectionDetails.class);
                    assertThat(context.getBean(ComputeNodeMonitor.class).memoryNodes())
                            .extracting(MemoryNodeView::address)
                            .containsExactly("tcp://127.0.0.1:1", "tcp://127.0.0.1:2");
                });
    }

    @Test
    void withoutTheActuatorThereIsNeitherHealthNorEndpoint() {
        runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class, Endpoint.class))
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .doesNotHaveBean("declockHealthContributor")
                            .doesNotHaveBean(DecLockEndpoint.class);
                });
    }

    @Test
    void healthCanBeSwitchedOff() {
        runner.run(context -> assertThat(context).hasBean("declockHealthContributor"));
        runner.withPropertyValues("management.health.declock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("declockHealthContributor"));
        runner.withBean("declockHealthIndicator", HealthIndicator.class, () -> Mockito.mock(HealthIndicator.class))
                .run(context -> assertThat(context).doesNotHaveBean("declockHealthContributor"));
    }

    @Test
    void infoSaysHowLocksAreShared() {
        runner.withPropertyValues("declock.namespace=shop", "declock.lease=4s").run(context -> {
            Info.Builder info = new Info.Builder();
            context.getBean(DecLockInfoContributor.class).contribute(info);
            assertThat(info.build().getDetails())
                    .containsOnly(Map.entry(
                            "declock",
                            Map.of(
                                    "namespace",
                                    "shop",
                                    "lease",
                                    "PT4S",
                                    "memoryNodes",
                                    1,
                                    "embedded",
                                    "a memory node for this instance alone")));
        });
        runner.withPropertyValues("management.info.declock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(DecLockInfoContributor.class));
        runner.withClassLoader(new FilteredClassLoader(InfoContributor.class))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void theEndpointIsThereWhenExposedAndAccessible() {
        runner.run(context -> assertThat(context).hasSingleBean(DecLockEndpoint.class));
        runner.withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context).doesNotHaveBean(DecLockEndpoint.class));
        runner.withPropertyValues("management.endpoint.declock.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(DecLockEndpoint.class));
    }

    @Test
    void metricsNeedARegistry() {
        runner.run(context -> assertThat(context).doesNotHaveBean(DecLockMetrics.class));
        runner.withBean(SimpleMeterRegistry.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(DecLockMetrics.class)
                        .hasSingleBean(MeteredLockObserver.class)
                        .hasSingleBean(TaggedCircuitBreakerMetrics.class));
        runner.withBean(SimpleMeterRegistry.class)
                .withPropertyValues("declock.metrics.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(DecLockMetrics.class)
                        .doesNotHaveBean(TaggedCircuitBreakerMetrics.class));
        runner.withClassLoader(new FilteredClassLoader(MeterRegistry.class, ObservationRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockObserver.class));
    }

    @Test
    void observationsAreMadeWhenAskedFor() {
        ApplicationContextRunner observed = runner.withBean(ObservationRegistry.class, ObservationRegistry::create);
        observed.run(context -> assertThat(context).doesNotHaveBean(ObservedAcquisitions.class));
        observed.withPropertyValues("declock.observation.enabled=true")
                .run(context -> assertThat(context).hasSingleBean(ObservedAcquisitions.class));
    }

    @Test
    void resilienceIsOptional() {
        runner.run(context ->
                assertThat(context).hasSingleBean(MemoryNodeCircuits.class).hasSingleBean(AcquisitionRetry.class));
        runner.withClassLoader(new FilteredClassLoader("io.github.resilience4j"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(AcquisitionInterceptor.class));
        runner.withPropertyValues(
                        "declock.resilience.circuit-breaker.enabled=false", "declock.resilience.retry.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(AcquisitionInterceptor.class)
                        .doesNotHaveBean(CircuitBreakerRegistry.class)
                        .doesNotHaveBean(RetryRegistry.class));
    }

    @Test
    void registriesOfTheApplicationAreUsedWithTheirConfiguration() {
        CircuitBreakerRegistry own = CircuitBreakerRegistry.ofDefaults();
        own.addConfiguration(
                "declock", CircuitBreakerConfig.custom().slidingWindowSize(77).build());
        runner.withBean(CircuitBreakerRegistry.class, () -> own).run(context -> {
            assertThat(context).hasSingleBean(CircuitBreakerRegistry.class);
            assertThat(own.find("declock"))
                    .hasValueSatisfying(breaker -> assertThat(
                                    breaker.getCircuitBreakerConfig().getSlidingWindowSize())
                            .isEqualTo(77));
        });
    }

    @Test
    void withoutReactorLockedMethodsWork() {
        runner.withClassLoader(new FilteredClassLoader(Mono.class.getPackageName(), "org.reactivestreams"))
                .run(context -> assertThat(context).hasNotFailed());
    }
}
