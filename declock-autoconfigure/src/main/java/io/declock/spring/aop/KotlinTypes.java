// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** What the advice must know of Kotlin's types, by their names, as Kotlin may be absent. Stateless. */
final class KotlinTypes {
    private static final @Nullable Class<?> FLOW = load("kotlinx.coroutines.flow.Flow");
    private static final @Nullable Class<?> JOB = load("kotlinx.coroutines.Job");

    private KotlinTypes() {}

    private static @Nullable Class<?> load(String name) {
        try {
            return ClassUtils.forName(name, KotlinTypes.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /** Returns whether the method is a suspending function: its last parameter is the continuation, and its declared type says nothing. */
    static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
    }

    /** Returns the types of the parameters that the source has: without the continuation. */
    static Class<?>[] parameters(Method method) {
        Class<?>[] all = method.getParameterTypes();
        return isSuspending(method) ? Arrays.copyOf(all, all.length - 1) : all;
    }

    /** Returns the arguments for the parameters that the source has. */
    static @Nullable Object[] arguments(@Nullable Object[] all, ReturnKind kind) {
        return kind == ReturnKind.SUSPENDING ? Arrays.copyOf(all, all.length - 1) : all;
    }

    static boolean isFlow(Class<?> type) {
        return FLOW != null && FLOW.isAssignableFrom(type);
    }

    /** Returns whether a function may declare that it returns any Flow of that type: not if it is a more special one. */
    static boolean isPlainFlow(Class<?> type) {
        return type == FLOW;
    }

    /** Returns whether a type is a job, or a deferred result. */
    static boolean isJob(Class<?> type) {
        return JOB != null && JOB.isAssignableFrom(type);
    }

    /** Returns whether a type is Kotlin's name for no result. */
    static boolean isUnit(Class<?> type) {
        return type.getName().equals("kotlin.Unit");
    }

    /** Returns whether the work behind a result goes on after a method has returned it. */
    static boolean goesOn(Object result) {
        return (FLOW != null && FLOW.isInstance(result)) || (JOB != null && JOB.isInstance(result));
    }
}
