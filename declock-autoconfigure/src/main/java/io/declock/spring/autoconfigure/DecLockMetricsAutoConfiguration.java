// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.spring.metrics.AcquisitionConvention;
import io.declock.spring.metrics.DecLockMetrics;
import io.declock.spring.metrics.HoldConvention;
import io.declock.spring.metrics.MeteredLockObserver;
import io.declock.spring.metrics.ObservedAcquisitions;
import io.declock.spring.metrics.ObservedHolds;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Auto-configuration of metrics and observations. */
@AutoConfiguration(
        after = DecLockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnBean(DistributedReadWriteLock.class)
public final class DecLockMetricsAutoConfiguration {

    /** Metrics. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean({MeterRegistry.class, ComputeNodeMonitor.class, MemoryNodeChoice.class})
    @ConditionalOnBooleanProperty(name = "declock.metrics.enabled", matchIfMissing = true)
    static class MeterConfiguration {

        @Bean
        @ConditionalOnMissingBean
        DecLockMetrics decLockMetrics(ComputeNodeMonitor monitor, MemoryNodeChoice choice) {
            return new DecLockMetrics(monitor, choice.names(), choice.usesRdma());
        }

        @Bean
        @ConditionalOnMissingBean
        MeteredLockObserver decLockMeteredObserver() {
            return new MeteredLockObserver();
        }
    }

    /** Observations. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    @ConditionalOnBooleanProperty("declock.observation.enabled")
    static class ObservationConfiguration {

        @Bean
        @Order(0)
        ObservedAcquisitions decLockObservedAcquisitions(
                ObservationRegistry registry, ObjectProvider<AcquisitionConvention> convention) {
            return new ObservedAcquisitions(registry, convention.getIfAvailable());
        }

        @Bean
        ObservedHolds decLockObservedHolds(ObservationRegistry registry, ObjectProvider<HoldConvention> convention) {
            return new ObservedHolds(registry, convention.getIfAvailable());
        }
    }
}
