// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeMonitor;
import io.declock.spring.info.DecLockInfoContributor;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of what the actuator's info says about locks; {@code management.info.declock.enabled=false} switches it off. */
@AutoConfiguration(after = DecLockAutoConfiguration.class)
@ConditionalOnClass({InfoContributor.class, ConditionalOnEnabledInfoContributor.class})
@ConditionalOnBean({ComputeNodeMonitor.class, MemoryNodeChoice.class})
@ConditionalOnEnabledInfoContributor("declock")
public final class DecLockInfoContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    DecLockInfoContributor decLockInfoContributor(
            ComputeNodeMonitor monitor, DecLockProperties properties, MemoryNodeChoice choice) {
        return new DecLockInfoContributor(
                monitor, properties.namespace(), properties.lease(), choice.describeEmbedded());
    }
}
