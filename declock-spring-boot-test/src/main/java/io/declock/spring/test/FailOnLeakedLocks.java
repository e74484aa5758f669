// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Fails a test that ends while the application holds a lock which it did not hold before the test. The locks are taken away from the
 * application then, so that later tests find them free. The test ends after its {@code @AfterEach} methods, and after its transaction.
 *
 * <p>On a method it applies to that test, on a class to all tests of the class; the nearest one wins. The property {@code
 * declock.test.fail-on-leaked-locks} sets it for every test of an application context. Tests that share an application context and run at the
 * same time cannot be told apart.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface FailOnLeakedLocks {
    /** {@return whether a leaked lock fails the test} */
    boolean value() default true;
}
