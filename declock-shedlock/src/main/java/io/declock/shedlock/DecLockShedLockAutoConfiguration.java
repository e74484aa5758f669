// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import io.declock.DistributedReadWriteLock;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of {@link DecLockProvider}. Backs off where the application defines a {@link LockProvider}. */
@AutoConfiguration(afterName = "io.declock.spring.autoconfigure.DecLockAutoConfiguration")
@ConditionalOnClass(LockProvider.class)
@ConditionalOnSingleCandidate(DistributedReadWriteLock.class)
@ConditionalOnBooleanProperty(name = "declock.shedlock.enabled", matchIfMissing = true)
@EnableConfigurationProperties(DecLockShedLockProperties.class)
public final class DecLockShedLockAutoConfiguration {

    /** The provider. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(LockProvider.class)
    static class ProviderConfiguration {

        @Bean
        DecLockProvider decLockProvider(DistributedReadWriteLock locks, DecLockShedLockProperties properties) {
            return new DecLockProvider(locks, properties.prefix());
        }
    }
}
