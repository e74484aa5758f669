// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/** Registers for native images the methods that the advice calls by reflection: the locked methods and their fallbacks. */
final class DecLockedReflectiveProcessor implements ReflectiveProcessor {
    @Override
    public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
        if (element instanceof Method method) {
            hints.registerMethod(method, ExecutableMode.INVOKE);
            registerFallbacks(hints, method.getDeclaringClass(), element);
        } else if (element instanceof Class<?> type && !type.isAnnotation()) {
            registerFallbacks(hints, type, element);
        }
    }

    private static void registerFallbacks(ReflectionHints hints, Class<?> type, AnnotatedElement element) {
        for (DecLocked locked :
                AnnotatedElementUtils.findMergedRepeatableAnnotations(element, DecLocked.class, DecLocks.class)) {
            if (locked.fallback().isEmpty()) {
                continue;
            }
            for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(type)) {
                if (candidate.getName().equals(locked.fallback())) {
                    hints.registerMethod(candidate, ExecutableMode.INVOKE);
                }
            }
        }
    }
}
