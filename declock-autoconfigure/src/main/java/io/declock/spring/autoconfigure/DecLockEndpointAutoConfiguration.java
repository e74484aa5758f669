// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeMonitor;
import io.declock.spring.endpoint.DecLockEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the actuator endpoint {@code declock}. */
@AutoConfiguration(after = DecLockAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(ComputeNodeMonitor.class)
@ConditionalOnAvailableEndpoint(DecLockEndpoint.class)
public final class DecLockEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    DecLockEndpoint decLockEndpoint(ComputeNodeMonitor monitor) {
        return new DecLockEndpoint(monitor);
    }
}
