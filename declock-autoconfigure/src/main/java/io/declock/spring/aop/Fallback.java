// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DecLockException;
import io.declock.LockNotGrantedException;
import io.declock.spring.DecLockedMisuseException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The method that is called instead of a locked method whose lock was not granted. Thread-safe. */
final class Fallback {
    private final Method method;
    private final @Nullable Class<?> exceptionType;

    private Fallback(Method method, @Nullable Class<?> exceptionType) {
        this.method = method;
        this.exceptionType = exceptionType;
    }

    /**
     * Finds the fallback of a locked method.
     *
     * @throws DecLockedMisuseException if no method fits
     */
    static Fallback find(String name, Method locked, Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        Method mismatch = null;
        Fallback found = null;
        for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            if (!candidate.getName().equals(name) || candidate.isBridge()) {
                continue;
            }
            Fallback fallback = fit(candidate, locked);
            if (fallback == null) {
                mismatch = candidate;
            } else if (found == null || fallback.exceptionType != null) {
                found = fallback;
            }
        }
        if (found == null) {
            throw new DecLockedMisuseException(missing(name, locked, mismatch), null);
        }
        if (!DecLockedAnnotations.find(found.method, type).isEmpty()
                && DecLockedAnnotations.isDeclaredOn(found.method)) {
            throw new DecLockedMisuseException(
                    "The fallback " + Names.of(found.method) + " of " + Names.of(locked)
                            + " is @DecLocked itself, but a fallback is called directly and would run without that lock.",
                    null);
        }
        ReflectionUtils.makeAccessible(found.method);
        return found;
    }

    private static @Nullable Fallback fit(Method candidate, Method locked) {
        if (!ClassUtils.isAssignable(locked.getReturnType(), candidate.getReturnType())
                && locked.getReturnType() != void.class) {
            return null;
        }
        Class<?>[] asked = locked.getParameterTypes();
        Class<?>[] has = candidate.getParameterTypes();
        if (Arrays.equals(asked, has)) {
            return new Fallback(candidate, null);
        }
        if (has.length == asked.length + 1
                && Arrays.equals(asked, Arrays.copyOf(has, asked.length))
                && has[asked.length].isAssignableFrom(LockNotGrantedException.class)) {
            return new Fallback(candidate, has[asked.length]);
        }
        return null;
    }

    private static String missing(String name, Method locked, @Nullable Method mismatch) {
        String wanted = name + Names.parameters(locked.getParameterTypes()) + " returning "
                + locked.getReturnType().getSimpleName() + ", optionally with one more parameter for the exception";
        return "@DecLocked on " + Names.of(locked) + " names the fallback '" + name + "', but "
                + (mismatch == null
                        ? "the class has no such method"
                        : Names.of(mismatch) + " returning "
                                + mismatch.getReturnType().getSimpleName() + " does not fit")
                + ". Wanted: " + wanted + ".";
    }

    /** Returns whether the fallback accepts that failure. */
    boolean accepts(DecLockException failure) {
        return exceptionType == null ? failure instanceof LockNotGrantedException : exceptionType.isInstance(failure);
    }

    /** Calls it. */
    @Nullable
    Object call(@Nullable Object target, @Nullable Object[] args, DecLockException failure) throws Throwable {
        @Nullable Object[] all = args;
        if (exceptionType != null) {
            all = Arrays.copyOf(args, args.length + 1);
            all[args.length] = failure;
        }
        try {
            return method.invoke(Modifier.isStatic(method.getModifiers()) ? null : target, all);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
