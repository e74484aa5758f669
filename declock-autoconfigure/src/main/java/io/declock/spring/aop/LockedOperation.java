// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DecLockException;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.spring.DecLockedMisuseException;
import io.declock.spring.OnFailure;
import io.declock.spring.OnLost;
import io.declock.spring.Release;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.function.SingletonSupplier;

/**
 * The settings from the {@code @DecLocked} annotations of one method, compiled once.
 *
 * @param method the method: that of the target class if it has one, else that of the interface
 * @param targetClass the target class
 * @param locks the locks to acquire
 * @param waitTime longest wait, null for the default
 * @param leaseTime ceiling on one hold, null for none
 * @param holdAtLeast how long the locks stay taken at least, null for none
 * @param onFailure what to do when the lock was not granted
 * @param fallback the method to call then if {@code onFailure} is FALLBACK, else null
 * @param onLost what to do when the lock was lost
 * @param interruptOnLost whether the method's thread is interrupted when the lock is lost
 * @param release when the lock is given back
 * @param result the type of the method's result; for a stage or publisher, the type of what it emits
 * @param kind how the method returns its result
 * @param keys makes the context of expressions
 */
record LockedOperation(
        Method method,
        Class<?> targetClass,
        List<Lock> locks,
        @Nullable Duration waitTime,
        @Nullable Duration leaseTime,
        @Nullable Duration holdAtLeast,
        OnFailure onFailure,
        @Nullable Fallback fallback,
        OnLost onLost,
        boolean interruptOnLost,
        Release release,
        ResolvableType result,
        ReturnKind kind,
        KeyCompiler keys) {
    private static final Logger LOG = LoggerFactory.getLogger(LockedOperation.class);

    /** Whether equal objects of a class can be expected to have the same text: not if the class inherits toString() from Object. */
    private static final ClassValue<Boolean> SAYS_WHAT_IT_IS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    /**
     * One annotation's part of it.
     *
     * @param name first part of the lock's name, empty for none
     * @param keys its keys, empty for none
     * @param mode its mode
     */
    record Lock(String name, List<KeyExpression> keys, LockMode mode) {}

    /** Returns the request for one call. */
    LockRequest request(LockedCall call) {
        Supplier<EvaluationContext> context = SingletonSupplier.of(() -> keys.context(call));
        LockRequest request = null;
        for (Lock lock : locks) {
            if (lock.keys.isEmpty()) {
                request = and(request, lock.name, lock.mode);
            }
            for (KeyExpression key : lock.keys) {
                request = and(request, lock, key, evaluate(key, call, context));
            }
        }
        if (request == null) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + ": the key "
                            + locks.get(0).keys.get(0).text()
                            + " is an empty collection, so there is nothing to lock.",
                    null);
        }
        if (waitTime != null) {
            request = request.waitTime(waitTime);
        }
        if (leaseTime != null) {
            request = request.leaseTime(leaseTime);
        }
        return holdAtLeast == null ? request : request.holdAtLeast(holdAtLeast);
    }

    private @Nullable Object evaluate(KeyExpression key, LockedCall call, Supplier<EvaluationContext> context) {
        try {
            return key.evaluate(call, context);
        } catch (RuntimeException e) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + ": the key " + key.text() + " could not be evaluated: "
                            + e.getMessage(),
                    e);
        }
    }

    private @Nullable LockRequest and(
            @Nullable LockRequest request, Lock lock, KeyExpression key, @Nullable Object value) {
        LockRequest more = request;
        // Not every Iterable: a Path is one thing, although it can be walked.
        if (value instanceof Collection<?> several) {
            for (Object one : several) {
                more = and(more, name(lock, key, one), lock.mode);
            }
        } else if (value != null && value.getClass().isArray()) {
            for (int i = 0; i < Array.getLength(value); i++) {
                more = and(more, name(lock, key, Array.get(value, i)), lock.mode);
            }
        } else {
            more = and(more, name(lock, key, value), lock.mode);
        }
        return more;
    }

    private static LockRequest and(@Nullable LockRequest request, String name, LockMode mode) {
        return request == null ? LockRequest.of(name, mode) : request.and(name, mode);
    }

    private String name(Lock lock, KeyExpression key, @Nullable Object value) {
        String text = value == null ? "" : value.toString();
        if (text.isEmpty()) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + ": the key " + key.text() + " is "
                            + (value == null ? "null" : "empty") + ", so there is no name to lock.",
                    null);
        }
        if (value != null && !SAYS_WHAT_IT_IS.get(value.getClass())) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + ": the key " + key.text() + " is a "
                            + value.getClass().getName()
                            + ", which has no toString() of its own, so every object would have a lock of its own. Use a property that"
                            + " identifies it, for example " + key.text() + ".id.",
                    null);
        }
        return lock.name.isEmpty() ? text : lock.name + ":" + text;
    }

    /** Returns whether a fallback is called for that failure. */
    boolean fallsBack(DecLockException failure) {
        return fallback != null && fallback.accepts(failure);
    }

    /**
     * Returns the result of a call whose lock was not granted, or throws. For a stage or publisher, the result is what it emits, except
     * that a fallback returns its own stage or publisher.
     */
    @Nullable
    Object notGranted(@Nullable Object target, @Nullable Object[] args, DecLockException failure) throws Throwable {
        if (fallback != null && fallback.accepts(failure)) {
            return fallback.call(target, args, failure);
        }
        boolean empty = onFailure == OnFailure.RETURN_DEFAULT || onFailure == OnFailure.SKIP;
        if (!empty || !(failure instanceof LockNotGrantedException)) {
            throw failure;
        }
        LOG.debug("{} was not run: {}", Names.of(method), failure.getMessage());
        return DefaultResult.of(result);
    }

    /** Returns whether transactions are committed only while the lock is held. */
    boolean guardsCommits() {
        return onLost != OnLost.LOG;
    }

    /**
     * Releases after the method returned normally. Returns the exception to throw if the caller must not rely on the result, else null.
     *
     * @param committed whether everything the method wrote was committed while the lock was held
     */
    @Nullable
    LockLostException release(LockHandle handle, boolean committed) {
        try {
            handle.close();
            return null;
        } catch (LockLostException e) {
            if (onLost == OnLost.THROW || (onLost == OnLost.ROLL_BACK && !committed)) {
                return e;
            }
            if (committed && onLost == OnLost.ROLL_BACK) {
                LOG.warn(
                        "{} lost its lock after its transaction had been committed: {}",
                        Names.of(method),
                        e.getMessage());
                return null;
            }
            LOG.warn(
                    "{} ended after its lock had been lost; only the fencing token protected what it wrote: {}",
                    Names.of(method),
                    e.getMessage());
            return null;
        }
    }

    /** Releases after the method threw an exception. */
    void release(LockHandle handle, Throwable failure) {
        try {
            handle.close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
