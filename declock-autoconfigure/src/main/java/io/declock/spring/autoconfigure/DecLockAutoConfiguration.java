// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.GuardedValues;
import io.declock.LockTemplate;
import io.declock.ValueCodecs;
import io.declock.spi.LockObserver;
import io.declock.spring.AcquisitionInterceptor;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/**
 * Auto-configuration of {@link DistributedReadWriteLock}. Backs off where the application defines its own.
 *
 * <p>Every part that starts and stops is a lifecycle bean; see {@link PhasedLifecycle}.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"
        })
@EnableConfigurationProperties(DecLockProperties.class)
public final class DecLockAutoConfiguration {
    /**
     * The name of an application's {@link Executor} that completes the stages of asynchronous acquisitions, in place of the library's own threads. See
     * {@link io.declock.DecLock.Builder#completions}.
     */
    public static final String COMPLETION_EXECUTOR = "decLockCompletionExecutor";

    @Bean
    @ConditionalOnMissingBean(DecLockConnectionDetails.class)
    PropertiesDecLockConnectionDetails decLockConnectionDetails(
            DecLockProperties properties, ObjectProvider<SslBundles> sslBundles) {
        return new PropertiesDecLockConnectionDetails(properties, sslBundles.getIfAvailable());
    }

    /** Evaluated after the nested configurations, when the application's lock or this one is known. */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(DistributedReadWriteLock.class)
    LockTemplate decLockTemplate(DistributedReadWriteLock lock) {
        return new LockTemplate(lock);
    }

    /** Guarded values are stored as JSON where there is Jackson. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    static class JsonConfiguration {

        @Bean
        @ConditionalOnMissingBean
        ValueCodecs decLockValueCodecs(ObjectProvider<JsonMapper> mapper) {
            return new JsonValueCodecs(mapper.getIfAvailable(JsonMapper::new));
        }
    }

    /** Hides the secret from every user of the actuator, whatever is configured for other values. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SanitizingFunction.class)
    static class SanitizingConfiguration {

        @Bean
        SanitizingFunction decLockSanitizingFunction() {
            return SanitizingFunction.sanitizeValue().ifKeyMatches("^declock[._]secret$");
        }
    }

    /** The compute node and its parts, for applications that do not define a lock themselves. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(DistributedReadWriteLock.class)
    static class NodeConfiguration {

        @Bean
        MemoryNodeChoice decLockMemoryNodeChoice(
                DecLockProperties properties, DecLockConnectionDetails details, Environment environment) {
            return MemoryNodeChoice.of(properties, details, environment);
        }

        @Bean(destroyMethod = "close")
        DecLockNode decLockNode(
                DecLockProperties properties,
                MemoryNodeChoice choice,
                ObjectProvider<FabricFactory> fabrics,
                ObjectProvider<LockObserver> observers,
                @Qualifier(COMPLETION_EXECUTOR) ObjectProvider<Executor> completions,
                Environment environment) {
            return new DecLockNode(
                    DecLockSettings.computeNode(properties, environment.getProperty("spring.application.name")),
                    choice::addresses,
                    () -> fabrics.orderedStream().toList(),
                    builder -> builder.observer(
                                    LockObservers.all(observers.orderedStream().toList()))
                            .completions(completions.getIfAvailable()),
                    choice.embedded());
        }

        @Bean
        @Order
        FabricFactory decLockTcpFabricFactory(
                DecLockProperties properties, DecLockConnectionDetails details, MemoryNodeChoice choice) {
            return new TcpFabricFactory(properties, details, choice);
        }

        @Bean
        @ConditionalOnMissingBean
        ComputeNodeMonitor decLockMonitor(DecLockNode node) {
            return new RunningNodeMonitor(node);
        }

        @Bean
        DistributedReadWriteLock decLock(DecLockNode node, ObjectProvider<AcquisitionInterceptor> interceptors) {
            return new NodeLock(node, interceptors.orderedStream().toList());
        }

        @Bean
        @ConditionalOnMissingBean
        GuardedValues decLockGuardedValues(DecLockNode node, ObjectProvider<ValueCodecs> codecs) {
            return new NodeValues(node, codecs.getIfAvailable(BasicValueCodecs::new));
        }

        @Bean
        NodeLifecycles decLockLifecycles(DecLockNode node, MemoryNodeChoice choice, DecLockProperties properties) {
            return new NodeLifecycles(node, choice.embedded(), properties);
        }

        @Bean
        PhasedLifecycle decLockMemoryNodeLifecycle(NodeLifecycles lifecycles) {
            return lifecycles.memoryNode();
        }

        @Bean
        PhasedLifecycle decLockSessionsLifecycle(NodeLifecycles lifecycles) {
            return lifecycles.sessions();
        }

        @Bean
        PhasedLifecycle decLockResetCoordinatorLifecycle(NodeLifecycles lifecycles) {
            return lifecycles.component("reset-coordinator");
        }

        @Bean
        PhasedLifecycle decLockClockSyncLifecycle(NodeLifecycles lifecycles) {
            return lifecycles.component("clock-sync");
        }

        @Bean
        PhasedLifecycle decLockGateLifecycle(NodeLifecycles lifecycles) {
            return lifecycles.gate();
        }
    }
}
