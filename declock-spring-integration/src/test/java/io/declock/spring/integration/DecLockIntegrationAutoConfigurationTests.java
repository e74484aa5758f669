// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.DistributedReadWriteLock;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.autoconfigure.DecLockAutoConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

/** The registry as a bean, and what docs/adapters.md says of its properties. */
@Timeout(60)
class DecLockIntegrationAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DecLockAutoConfiguration.class, DecLockIntegrationAutoConfiguration.class))
            .withPropertyValues(
                    "declock.embedded.port=0",
                    "spring.main.cloud-platform=none",
                    "declock.embedded.directory="
                            + Path.of("target", "embedded").toAbsolutePath(),
                    "declock.shutdown.timeout=1s");

    @Test
    void springBootFindsIt() throws IOException {
        assertThat(resource("/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports")
                        .strip())
                .isEqualTo(DecLockIntegrationAutoConfiguration.class.getName());
    }

    @Test
    void anApplicationWithoutARegistryGetsThisOne() {
        runner.run(context -> context.getBean(DecLockRegistry.class)
                .executeLocked(
                        "x", () -> assertThat(isFree(context, "integration:x")).isFalse()));
        runner.withPropertyValues("declock.integration.prefix=p:")
                .run(context -> context.getBean(DecLockRegistry.class)
                        .executeLocked(
                                "x", () -> assertThat(isFree(context, "p:x")).isFalse()));
    }

    @Test
    void itBacksOffWhereTheApplicationWantsAnother() {
        runner.withBean(DefaultLockRegistry.class).run(context -> {
            assertThat(context).hasSingleBean(LockRegistry.class).doesNotHaveBean(DecLockRegistry.class);
        });
        runner.withPropertyValues("declock.integration.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistry.class));
        runner.withClassLoader(new FilteredClassLoader(LockRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("decLockRegistry"));
    }

    private static boolean isFree(ApplicationContext context, String name) throws InterruptedException {
        try {
            context.getBean(DistributedReadWriteLock.class)
                    .acquire(LockRequest.write(name).waitTime(Duration.ZERO), LockOwner.named("test"))
                    .close();
            return true;
        } catch (LockNotGrantedException e) {
            return false;
        }
    }

    private String resource(String name) throws IOException {
        try (InputStream in = getClass().getResourceAsStream(name)) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
