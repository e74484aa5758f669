// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.spring.resilience.AcquisitionRetry;
import io.declock.spring.resilience.MemoryNodeCircuits;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedRetryMetrics;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.retry.RetryRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of circuit breakers and retry by Resilience4j. Where the application has registries, as with Resilience4j's own
 * starter, they are used: an instance or a shared configuration called {@code declock} there replaces
 * {@code declock.resilience.*}, and Resilience4j shows the state in its own metrics, health and endpoints. The retry lies inside of
 * observations, and the circuit breakers inside of the retry.
 */
@AutoConfiguration(
        after = DecLockAutoConfiguration.class,
        afterName = {
            "io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration",
            "io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({CircuitBreakerRegistry.class, RetryRegistry.class})
@ConditionalOnBean({DistributedReadWriteLock.class, ComputeNodeMonitor.class, MemoryNodeChoice.class})
public final class DecLockResilienceAutoConfiguration {
    private static final Duration NEVER_SLOW = Duration.ofDays(365);

    /** Circuit breakers. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "declock.resilience.circuit-breaker.enabled", matchIfMissing = true)
    static class CircuitBreakerConfiguration {

        @Bean
        @ConditionalOnMissingBean
        CircuitBreakerRegistry decLockCircuitBreakerRegistry() {
            return CircuitBreakerRegistry.ofDefaults();
        }

        @Bean
        @Order(200)
        @ConditionalOnMissingBean
        MemoryNodeCircuits decLockCircuits(
                ComputeNodeMonitor monitor,
                CircuitBreakerRegistry registry,
                DecLockProperties properties,
                MemoryNodeChoice choice) {
            return new MemoryNodeCircuits(
                    monitor,
                    registry,
                    config(registry, properties.resilience().circuitBreaker()),
                    properties.resilience().circuitBreaker().openAfter(),
                    choice.names().size());
        }

        private static CircuitBreakerConfig config(
                CircuitBreakerRegistry registry, DecLockProperties.CircuitBreaker properties) {
            return registry.getConfiguration(MemoryNodeCircuits.NAME)
                    .or(() ->
                            registry.find(MemoryNodeCircuits.NAME).map(existing -> existing.getCircuitBreakerConfig()))
                    .orElseGet(() -> CircuitBreakerConfig.custom()
                            .failureRateThreshold(properties.failureRateThreshold())
                            .slidingWindowSize(properties.slidingWindowSize())
                            .minimumNumberOfCalls(properties.minimumNumberOfCalls())
                            .waitDurationInOpenState(properties.waitDurationInOpenState())
                            .permittedNumberOfCallsInHalfOpenState(properties.permittedNumberOfCallsInHalfOpenState())
                            .slowCallDurationThreshold(NEVER_SLOW)
                            .build());
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass({MeterRegistry.class, TaggedCircuitBreakerMetrics.class})
        @ConditionalOnMissingClass(
                "io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerMetricsAutoConfiguration")
        @ConditionalOnBooleanProperty(name = "declock.metrics.enabled", matchIfMissing = true)
        static class Metrics {
            @Bean
            @ConditionalOnMissingBean
            TaggedCircuitBreakerMetrics decLockCircuitBreakerMetrics(CircuitBreakerRegistry registry) {
                return TaggedCircuitBreakerMetrics.ofCircuitBreakerRegistry(registry);
            }
        }
    }

    /** Retry. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "declock.resilience.retry.enabled", matchIfMissing = true)
    static class RetryConfiguration {

        @Bean
        @ConditionalOnMissingBean
        RetryRegistry decLockRetryRegistry() {
            return RetryRegistry.ofDefaults();
        }

        @Bean
        @Order(100)
        AcquisitionRetry decLockRetry(RetryRegistry registry, DecLockProperties properties) {
            Retry retry = registry.retry(
                    MemoryNodeCircuits.NAME,
                    () -> config(registry, properties.resilience().retry()));
            return new AcquisitionRetry(retry, properties.waitTime());
        }

        private static RetryConfig config(RetryRegistry registry, DecLockProperties.Retry properties) {
            return registry.getConfiguration(MemoryNodeCircuits.NAME)
                    .orElseGet(() -> RetryConfig.custom()
                            .maxAttempts(properties.maxAttempts())
                            .waitDuration(properties.waitDuration())
                            .build());
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass({MeterRegistry.class, TaggedRetryMetrics.class})
        @ConditionalOnMissingClass(
                "io.github.resilience4j.springboot.retry.autoconfigure.RetryMetricsAutoConfiguration")
        @ConditionalOnBooleanProperty(name = "declock.metrics.enabled", matchIfMissing = true)
        static class Metrics {
            @Bean
            @ConditionalOnMissingBean
            TaggedRetryMetrics decLockRetryMetrics(RetryRegistry registry) {
                return TaggedRetryMetrics.ofRetryRegistry(registry);
            }
        }
    }
}
