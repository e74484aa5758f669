// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DistributedReadWriteLock;
import io.declock.spring.aop.CallersTransactionPolicy;
import io.declock.spring.aop.DecLockedAdvisor;
import io.declock.spring.aop.DecLockedChecker;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Auto-configuration of {@link io.declock.spring.DecLocked @DecLocked}. Needs no AspectJ, and works with
 * {@code spring.aop.auto=false} too: an unrelated setting must not make a method that asks for a lock run without it.
 */
@AutoConfiguration(
        after = DecLockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.aop.AopAutoConfiguration",
            "org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration"
        })
@ConditionalOnBean(DistributedReadWriteLock.class)
@EnableConfigurationProperties(DecLockProperties.class)
@Import(DecLockAopAutoConfiguration.AutoProxyRegistrar.class)
public final class DecLockAopAutoConfiguration {
    private static final String EXECUTOR_BEAN = "applicationTaskExecutor";

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DecLockedAdvisor decLockedAdvisor(
            BeanFactory beanFactory, ObjectProvider<DistributedReadWriteLock> lock, Environment environment) {
        int order =
                Binder.get(environment).bind("declock.aop.order", Integer.class).orElse(DecLockedAdvisor.DEFAULT_ORDER);
        return new DecLockedAdvisor(
                beanFactory,
                lock::getObject,
                () -> executor(beanFactory),
                () -> Binder.get(environment)
                        .bind("declock.aop.callers-transaction", CallersTransactionPolicy.class)
                        .orElse(CallersTransactionPolicy.WARN),
                order);
    }

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DecLockedChecker decLockedChecker(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<DecLockedAdvisor> advisor,
            Environment environment) {
        return new DecLockedChecker(
                beanFactory,
                advisor::getObject,
                () -> Binder.get(environment)
                        .bind("declock.aop.self-invocation", DecLockedChecker.SelfInvocationPolicy.class)
                        .orElse(DecLockedChecker.SelfInvocationPolicy.FAIL));
    }

    private static Executor executor(BeanFactory beanFactory) {
        return beanFactory.containsBean(EXECUTOR_BEAN)
                ? beanFactory.getBean(EXECUTOR_BEAN, Executor.class)
                : ForkJoinPool.commonPool();
    }

    /** Registers an auto-proxy creator if there is none; an existing one is kept. */
    static final class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
