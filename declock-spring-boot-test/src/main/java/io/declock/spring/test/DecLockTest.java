// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of locks only: the application context has DecLock's beans, {@link TestLocks}, {@code @DecLocked} and transactions, and none of the
 * application's components. {@code @Import} or {@link #includeFilters} add those that the test needs.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(DecLockTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(DecLockTypeExcludeFilter.class)
@AutoConfigureDecLock
@ImportAutoConfiguration
public @interface DecLockTest {
    /** {@return properties of the form {@code key=value} for the application context} */
    String[] properties() default {};

    /** {@return whether the application's components are left out unless {@link #includeFilters} names them} */
    boolean useDefaultFilters() default true;

    /** {@return filters that put components of the application into the context} */
    Filter[] includeFilters() default {};

    /** {@return filters that leave components out} */
    Filter[] excludeFilters() default {};

    /** {@return auto-configurations to leave out} */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
