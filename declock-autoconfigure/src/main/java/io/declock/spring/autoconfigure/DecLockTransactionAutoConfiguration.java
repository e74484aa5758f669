// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DistributedReadWriteLock;
import io.declock.spring.transaction.LockedCommits;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Auto-configuration of {@link io.declock.spring.OnLost} for transactions: before it commits, every transaction manager, including those
 * that the application defines, checks whether the thread's locks are still held.
 */
@AutoConfiguration(after = DecLockAutoConfiguration.class)
@ConditionalOnClass(ConfigurableTransactionManager.class)
@ConditionalOnBean(DistributedReadWriteLock.class)
public final class DecLockTransactionAutoConfiguration {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanPostProcessor lockedCommitsPostProcessor() {
        return new LockedCommitsPostProcessor();
    }

    private static final class LockedCommitsPostProcessor implements BeanPostProcessor {
        private final LockedCommits commits = new LockedCommits();

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof ConfigurableTransactionManager manager) {
                manager.addListener(commits);
            }
            return bean;
        }
    }
}
