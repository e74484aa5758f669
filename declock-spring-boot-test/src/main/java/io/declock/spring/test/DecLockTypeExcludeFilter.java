// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out every component of the application that {@link DecLockTest} does not include. */
final class DecLockTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<DecLockTest> {
    DecLockTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }
}
