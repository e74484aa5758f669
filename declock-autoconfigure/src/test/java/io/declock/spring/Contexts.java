// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import io.declock.spring.autoconfigure.DecLockAopAutoConfiguration;
import io.declock.spring.autoconfigure.DecLockAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Application contexts with a real memory node of their own, in the same process. */
public final class Contexts {
    private static final Path DIRECTORY = privateDirectory();

    private Contexts() {}

    private static Path privateDirectory() {
        try {
            return Files.createTempDirectory(Path.of("target").toAbsolutePath(), "embedded");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the directory that their embedded memory nodes share. */
    public static Path directory() {
        return DIRECTORY;
    }

    /** Locks and @DecLocked. */
    public static ApplicationContextRunner locks() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        PropertyPlaceholderAutoConfiguration.class,
                        SslAutoConfiguration.class,
                        AopAutoConfiguration.class,
                        DecLockAutoConfiguration.class,
                        DecLockAopAutoConfiguration.class))
                .withPropertyValues(
                        "declock.embedded.port=0",
                        // This may be a container, and tests must not write into anybody's home.
                        "spring.main.cloud-platform=none",
                        "declock.embedded.directory=" + DIRECTORY,
                        "declock.node-name=test",
                        "declock.shutdown.timeout=1s");
    }
}
