// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.util.ClassUtils;

/** How methods are named in messages. */
final class Names {
    private Names() {}

    /** Returns {@code Orders.ship(long)}. */
    static String of(Method method) {
        return of(method.getDeclaringClass()) + "." + method.getName() + parameters(KotlinTypes.parameters(method));
    }

    /** Returns the class's name without its package, nested classes with a dot. */
    static String of(Class<?> type) {
        return ClassUtils.getShortName(ClassUtils.getUserClass(type));
    }

    /** Returns {@code (long, String)}. */
    static String parameters(Class<?>... types) {
        return Arrays.stream(types).map(Class::getSimpleName).collect(Collectors.joining(", ", "(", ")"));
    }
}
