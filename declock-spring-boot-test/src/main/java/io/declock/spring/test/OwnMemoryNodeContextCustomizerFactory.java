// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Gives each test's application context a memory node of its own also where the application's files configure memory nodes: a test must not
 * take the locks of production because it was started with production's configuration. What the test itself sets, system properties and
 * environment variables win.
 */
final class OwnMemoryNodeContextCustomizerFactory implements ContextCustomizerFactory {
    static final String SWITCH = "declock.test.private-memory-node";

    private static final Logger LOG = LoggerFactory.getLogger(OwnMemoryNodeContextCustomizerFactory.class);
    private static final String MEMORY_NODES = "declock.memory-nodes";

    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        return new OwnMemoryNode();
    }

    /** Equal to every other one, so that contexts are cached as without it. */
    private static final class OwnMemoryNode implements ContextCustomizer {
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
            ConfigurableEnvironment environment = context.getEnvironment();
            if (!environment.getProperty(SWITCH, Boolean.class, true)) {
                return;
            }
            String before = environment.getProperty(MEMORY_NODES, "");
            addBehindWhatTheTestSets(environment.getPropertySources());
            if (!before.equals(environment.getProperty(MEMORY_NODES, ""))) {
                LOG.info(
                        "This test has a memory node of its own and does not use {}. {}=false changes that.",
                        before,
                        SWITCH);
            }
        }

        private static void addBehindWhatTheTestSets(MutablePropertySources sources) {
            Map<String, Object> own = new LinkedHashMap<>();
            own.put(MEMORY_NODES, "");
            own.put("declock.mode", "auto");
            own.put("declock.embedded.port", "0");
            MapPropertySource source = new MapPropertySource("declockTestOwnMemoryNode", own);
            // Configuration files have lower precedence than the environment variables.
            if (sources.contains(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
                sources.addAfter(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, source);
            } else {
                sources.addLast(source);
            }
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof OwnMemoryNode;
        }

        @Override
        public int hashCode() {
            return OwnMemoryNode.class.hashCode();
        }
    }
}
