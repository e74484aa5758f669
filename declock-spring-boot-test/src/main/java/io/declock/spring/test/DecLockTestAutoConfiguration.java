// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import io.declock.spring.autoconfigure.DecLockAutoConfiguration;
import io.declock.spring.autoconfigure.FabricFactory;
import io.declock.spring.autoconfigure.test.ApplicationNode;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Auto-configuration of {@link TestLocks}, for applications whose locks are DecLock's. */
@AutoConfiguration(after = DecLockAutoConfiguration.class)
@ConditionalOnBean(ApplicationNode.class)
public final class DecLockTestAutoConfiguration {
    @Bean
    SeverableFabricFactory decLockSeverableFabricFactory(ApplicationNode application) {
        return new SeverableFabricFactory(application);
    }

    @Bean
    @Lazy
    OtherInstance decLockOtherInstance(ApplicationNode application, ObjectProvider<FabricFactory> fabrics) {
        return new OtherInstance(
                application,
                fabrics.orderedStream()
                        .filter(factory -> !(factory instanceof SeverableFabricFactory))
                        .toList());
    }

    @Bean
    TestLocks testLocks(
            ApplicationNode application, SeverableFabricFactory fabric, ObjectProvider<OtherInstance> other) {
        return new TestLocks(application, fabric, other);
    }
}
