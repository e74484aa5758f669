// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeMonitor;
import io.declock.spring.health.MemoryNodeHealthIndicator;
import io.declock.spring.health.MemoryNodesHealth;
import io.declock.spring.support.CircuitBreakerStates;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health contributor {@code declock}, with one component per memory node. It is in no group by default:
 * restarting an application does not repair a memory node, so a memory node's health must never decide about liveness.
 */
@AutoConfiguration(after = {DecLockAutoConfiguration.class, DecLockResilienceAutoConfiguration.class})
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({ComputeNodeMonitor.class, MemoryNodeChoice.class})
@ConditionalOnEnabledHealthIndicator("declock")
public final class DecLockHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"declockHealthIndicator", "declockHealthContributor"})
    HealthContributor declockHealthContributor(
            ComputeNodeMonitor monitor, MemoryNodeChoice choice, ObjectProvider<CircuitBreakerStates> circuitBreakers) {
        CircuitBreakerStates states = circuitBreakers.getIfAvailable(() -> CircuitBreakerStates.NONE);
        List<String> names = choice.names();
        if (choice.isEmbedded()) {
            return CompositeHealthContributor.fromMap(
                    Map.of(names.get(0), new MemoryNodeHealthIndicator(monitor, "", states, choice::describeEmbedded)));
        }
        return new MemoryNodesHealth(
                monitor,
                names,
                place -> new MemoryNodeHealthIndicator(monitor, place, states, choice::describeEmbedded));
    }
}
