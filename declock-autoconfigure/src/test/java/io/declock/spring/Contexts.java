// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import io.declock.spring.autoconfigure.DecLockAopAutoConfiguration;
import io.declock.spring.autoconfigure.DecLockAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Application contexts with a real memory node of their own, in the same process. */
public final class Contexts {
    private Contexts() {}

    /** Locks and @DecLocked. */
    public static ApplicationContextRunner locks() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        PropertyPlaceholderAutoConfiguration.class,
                        SslAutoConfiguration.class,
                        AopAutoConfiguration.class,
                        DecLockAutoConfiguration.class,
                        DecLockAopAutoConfiguration.class))
                .withPropertyValues("declock.embedded.port=0", "declock.node-name=test", "declock.shutdown.timeout=1s");
    }
}
