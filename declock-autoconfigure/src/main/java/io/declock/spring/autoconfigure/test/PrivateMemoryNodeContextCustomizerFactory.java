// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure.test;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Gives the application context of each test a memory node of its own, so that tests neither meet each other nor an application that
 * runs on the same machine. A test that sets {@code declock.embedded.port}, or {@code declock.memory-nodes}, gets what it asks for.
 */
final class PrivateMemoryNodeContextCustomizerFactory implements ContextCustomizerFactory {
    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        return new PrivateMemoryNode();
    }

    /** Equal to every other one, so that contexts are cached as if it were not there. */
    private static final class PrivateMemoryNode implements ContextCustomizer {
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
            context.getEnvironment()
                    .getPropertySources()
                    .addLast(new MapPropertySource("declockTest", Map.of("declock.embedded.port", "0")));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof PrivateMemoryNode;
        }

        @Override
        public int hashCode() {
            return PrivateMemoryNode.class.hashCode();
        }
    }
}
