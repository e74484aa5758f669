// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** The root object of key expressions: one call of a locked method. */
final class LockedCall {
    private final Method method;
    private final @Nullable Object target;
    private final Class<?> targetClass;
    private final @Nullable Object[] args;
    private final @Nullable Object[] invocationArgs;

    LockedCall(
            LockedOperation operation,
            @Nullable Object target,
            Class<?> targetClass,
            @Nullable Object[] invocationArgs) {
        this.method = operation.method();
        this.target = target;
        this.targetClass = targetClass;
        this.args = KotlinTypes.arguments(invocationArgs, operation.kind());
        this.invocationArgs = invocationArgs;
    }

    /** Returns the called method: that of the class if it has one, else that of the interface. */
    public Method getMethod() {
        return method;
    }

    /** Returns the called method's name. */
    public String getMethodName() {
        return method.getName();
    }

    /** Returns the bean behind the proxy. */
    public @Nullable Object getTarget() {
        return target;
    }

    /** Returns the class of the bean. */
    public Class<?> getTargetClass() {
        return targetClass;
    }

    /** Returns the arguments, without the continuation of a suspending function. */
    public @Nullable Object[] getArgs() {
        return args;
    }

    /** Returns the arguments as the method in the class file has them. */
    @Nullable
    Object[] invocationArgs() {
        return invocationArgs;
    }
}
