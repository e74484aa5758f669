// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.spring.DecLockedMisuseException;
import io.declock.spring.OnFailure;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/** Tells locked functions of Kotlin that suspend or return a Flow from other methods, and refuses those that cannot work. Thread-safe. */
final class KotlinFunctions {
    private final @Nullable Coroutines coroutines;

    KotlinFunctions(@Nullable Coroutines coroutines) {
        this.coroutines = coroutines;
    }

    /** Returns what runs such functions; there is one if the kind of one was found. */
    Coroutines coroutines() {
        return Objects.requireNonNull(coroutines, Coroutines.MODULE);
    }

    /** Returns how such a function returns its result, null for any other method. */
    @Nullable
    ReturnKind kind(Method method) {
        if (KotlinTypes.isSuspending(method)) {
            checkLibraries(method);
            return ReturnKind.SUSPENDING;
        }
        return KotlinTypes.isFlow(method.getReturnType()) ? flowKind(method) : null;
    }

    private void checkLibraries(Method method) {
        String missing = coroutines == null ? Coroutines.MODULE : coroutines.missingForSuspending();
        if (missing != null) {
            throw refused(
                    method,
                    ": a suspending function needs the module " + missing
                            + ", which is not on the class path. Without it the lock would be released at the first suspension.");
        }
    }

    private ReturnKind flowKind(Method method) {
        Class<?> type = method.getReturnType();
        if (!KotlinTypes.isPlainFlow(type)) {
            throw refused(
                    method,
                    ": the return type must be Flow, not " + type.getSimpleName()
                            + ", because each collection takes the lock anew.");
        }
        if (coroutines != null) {
            return ReturnKind.FLOW;
        }
        if (LockedOperations.adapter(type) == null) {
            throw refused(
                    method,
                    ": a function that returns a Flow needs the module " + Coroutines.MODULE
                            + ", which is not on the class path. Without it the lock would be released before the Flow is collected.");
        }
        return ReturnKind.REACTIVE;
    }

    /** Returns the type of a suspending function's result: that of a number which cannot be null is the primitive one. */
    static ResolvableType result(Method method, ResolvableType declared) {
        if (new MethodParameter(method, -1).isOptional()) {
            return declared;
        }
        Class<?> type = declared.resolve(Object.class);
        Class<?> primitive = MethodType.methodType(type).unwrap().returnType();
        return type == primitive || primitive == void.class ? declared : ResolvableType.forClass(primitive);
    }

    /** Refuses a suspending function whose result cannot work. */
    static void checkSuspending(Method method, OnFailure onFailure, ResolvableType result) {
        Class<?> type = result.resolve(Object.class);
        if (KotlinTypes.isFlow(type)) {
            throw refused(
                    method,
                    ": a function that returns a Flow must not suspend, because the lock is taken by each collection. Remove 'suspend'.");
        }
        if (CompletionStage.class.isAssignableFrom(type)
                || KotlinTypes.isJob(type)
                || LockedOperations.adapter(type) != null) {
            throw refused(
                    method,
                    ": a suspending function must not return a " + type.getSimpleName()
                            + ", whose work would continue without the lock. Await it in the function, and return its result.");
        }
        boolean nullFits =
                new MethodParameter(method, -1).isOptional() || type == void.class || KotlinTypes.isUnit(type);
        if (onFailure == OnFailure.RETURN_DEFAULT && !nullFits && DefaultResult.of(result) == null) {
            throw refused(
                    method,
                    " has onFailure = RETURN_DEFAULT, which would return null, but the result " + type.getSimpleName()
                            + " is not nullable. Declare " + type.getSimpleName() + "?, or name a fallback.");
        }
    }

    private static DecLockedMisuseException refused(Method method, String why) {
        return new DecLockedMisuseException("@DecLocked on " + Names.of(method) + why, null);
    }
}
