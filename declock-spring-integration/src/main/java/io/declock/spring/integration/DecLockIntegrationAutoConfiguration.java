// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import io.declock.DistributedReadWriteLock;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** Auto-configuration of {@link DecLockRegistry}. Backs off where the application defines a {@link LockRegistry}. */
@AutoConfiguration(afterName = "io.declock.spring.autoconfigure.DecLockAutoConfiguration")
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnSingleCandidate(DistributedReadWriteLock.class)
@ConditionalOnBooleanProperty(name = "declock.integration.enabled", matchIfMissing = true)
@EnableConfigurationProperties(DecLockIntegrationProperties.class)
public final class DecLockIntegrationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    DecLockRegistry decLockRegistry(DistributedReadWriteLock locks, DecLockIntegrationProperties properties) {
        return new DecLockRegistry(locks, properties.prefix());
    }
}
