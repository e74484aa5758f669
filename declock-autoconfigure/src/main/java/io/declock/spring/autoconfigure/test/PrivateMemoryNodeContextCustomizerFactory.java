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
 * Gives the application context of each test a memory node of its own, so that tests share locks neither with each other nor with an
 * application on the same machine. The settings of a test that sets {@code declock.embedded.port} or {@code declock.memory-nodes} win.
 */
final class PrivateMemoryNodeContextCustomizerFactory implements ContextCustomizerFactory {
    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        return new PrivateMemoryNode();
    }

    /** Equal to every other one, so that contexts are cached as without it. */
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
