// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.spring.DecLocked;
import io.declock.spring.DecLocks;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the {@link DecLocked} annotations that apply to a method of a target class. All annotations of the nearest place apply, and
 * none of any other place. From near to far, the places are:
 *
 * <ol>
 *   <li>the method in the class, then what it overrides or implements;
 *   <li>for public methods, the class and its superclasses;
 *   <li>for methods of an interface, that interface.
 * </ol>
 *
 * <p>Stateless.
 */
final class DecLockedAnnotations {
    private static final RepeatableContainers CONTAINERS =
            RepeatableContainers.explicitRepeatable(DecLocked.class, DecLocks.class);

    private DecLockedAnnotations() {}

    /** Returns whether that class can have the annotation at all. */
    static boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, DecLocked.class);
    }

    /** Returns the annotations that apply when {@code method} is called on a {@code targetClass}; empty for none. */
    static List<DecLocked> find(Method method, Class<?> targetClass) {
        if (method.getDeclaringClass() == Object.class || method.isSynthetic()) {
            return List.of();
        }
        Class<?> userClass = ClassUtils.getUserClass(targetClass);
        Method specific = AopUtils.getMostSpecificMethod(method, userClass);
        List<DecLocked> found = nearest(specific);
        if (found.isEmpty() && !specific.equals(method)) {
            found = nearest(method);
        }
        if (found.isEmpty()
                && Modifier.isPublic(specific.getModifiers())
                && !Modifier.isStatic(specific.getModifiers())) {
            found = onType(specific, userClass);
        }
        return found;
    }

    /** Returns whether the method itself, and not only its class, is annotated. */
    static boolean isDeclaredOn(Method method) {
        return !nearest(method).isEmpty();
    }

    private static List<DecLocked> onType(Method method, Class<?> targetClass) {
        if (ReflectionUtils.isObjectMethod(method)) {
            return List.of();
        }
        List<DecLocked> found = nearest(targetClass, SearchStrategy.SUPERCLASS);
        if (!found.isEmpty()) {
            return found;
        }
        for (Class<?> type : ClassUtils.getAllInterfacesForClass(targetClass)) {
            found = nearest(type, SearchStrategy.DIRECT);
            if (!found.isEmpty() && ClassUtils.hasMethod(type, method.getName(), method.getParameterTypes())) {
                return found;
            }
        }
        return List.of();
    }

    private static List<DecLocked> nearest(Method method) {
        return nearest(method, SearchStrategy.TYPE_HIERARCHY);
    }

    private static List<DecLocked> nearest(AnnotatedElement element, SearchStrategy strategy) {
        List<DecLocked> found = new ArrayList<>(1);
        int nearest = -1;
        for (MergedAnnotation<DecLocked> annotation :
                MergedAnnotations.search(strategy).withRepeatableContainers(CONTAINERS).from(element).stream(
                                DecLocked.class)
                        .toList()) {
            if (nearest < 0) {
                nearest = annotation.getAggregateIndex();
            }
            if (annotation.getAggregateIndex() == nearest) {
                found.add(annotation.synthesize());
            }
        }
        return found;
    }
}
