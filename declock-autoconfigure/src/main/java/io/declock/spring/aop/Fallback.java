// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DecLockException;
import io.declock.LockNotGrantedException;
import io.declock.spring.DecLockedMisuseException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The method that is called instead of a locked method whose lock was not granted. Thread-safe. */
final class Fallback {
    private final Method method;
    private final int shared;
    private final @Nullable Class<?> exceptionType;

    private Fallback(Method method, int shared, @Nullable Class<?> exceptionType) {
        this.method = method;
        this.shared = shared;
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
        if (!returnsWhatFits(candidate, locked)) {
            return null;
        }
        Class<?>[] asked = KotlinTypes.parameters(locked);
        Class<?>[] has = KotlinTypes.parameters(candidate);
        if (Arrays.equals(asked, has)) {
            return new Fallback(candidate, asked.length, null);
        }
        if (has.length == asked.length + 1
                && Arrays.equals(asked, Arrays.copyOf(has, asked.length))
                && has[asked.length].isAssignableFrom(LockNotGrantedException.class)) {
            return new Fallback(candidate, asked.length, has[asked.length]);
        }
        return null;
    }

    private static boolean returnsWhatFits(Method candidate, Method locked) {
        if (KotlinTypes.isSuspending(candidate) && !KotlinTypes.isSuspending(locked)) {
            return false;
        }
        Class<?> wanted = result(locked);
        return wanted == void.class || KotlinTypes.isUnit(wanted) || ClassUtils.isAssignable(wanted, result(candidate));
    }

    private static Class<?> result(Method method) {
        return KotlinTypes.isSuspending(method)
                ? ResolvableType.forMethodReturnType(method).resolve(Object.class)
                : method.getReturnType();
    }

    private static String missing(String name, Method locked, @Nullable Method mismatch) {
        String wanted = name + Names.parameters(KotlinTypes.parameters(locked)) + " returning "
                + result(locked).getSimpleName() + ", optionally with one more parameter for the exception";
        return "@DecLocked on " + Names.of(locked) + " names the fallback '" + name + "', but "
                + (mismatch == null
                        ? "the class has no such method"
                        : Names.of(mismatch) + " returning " + result(mismatch).getSimpleName() + " does not fit")
                + ". Wanted: " + wanted + ".";
    }

    /** Returns whether the fallback accepts that failure. */
    boolean accepts(DecLockException failure) {
        return exceptionType == null ? failure instanceof LockNotGrantedException : exceptionType.isInstance(failure);
    }

    /**
     * Calls it.
     *
     * @param args the locked method's arguments; those of a suspending function end with the continuation, which a suspending fallback goes on with
     */
    @Nullable
    Object call(@Nullable Object target, @Nullable Object[] args, DecLockException failure) throws Throwable {
        List<@Nullable Object> all = new ArrayList<>(Arrays.asList(args).subList(0, shared));
        if (exceptionType != null) {
            all.add(failure);
        }
        if (KotlinTypes.isSuspending(method)) {
            all.add(args[args.length - 1]);
        }
        try {
            return method.invoke(Modifier.isStatic(method.getModifiers()) ? null : target, all.toArray());
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
