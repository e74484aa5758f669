// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** One call of a locked function of Kotlin that suspends or returns a {@code Flow}. Thread-safe. */
public final class LockedCoroutine {
    private final DistributedReadWriteLock locks;
    private final MethodInvocation invocation;
    private final LockedOperation operation;
    private final LockedCall call;

    LockedCoroutine(
            DistributedReadWriteLock locks, MethodInvocation invocation, LockedOperation operation, LockedCall call) {
        this.locks = locks;
        this.invocation = invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
        this.operation = operation;
        this.call = call;
    }

    /** Returns the locks. */
    public DistributedReadWriteLock locks() {
        return locks;
    }

    /** Returns what to ask for, from the keys' values now. */
    public LockRequest request() {
        return operation.request(call);
    }

    /** Returns how an owner of its own is described. */
    public String description() {
        return Names.of(operation.method());
    }

    /** Returns whether the function is cancelled when its lock is lost. */
    public boolean isCancelledOnLoss() {
        return operation.interruptOnLost();
    }

    /** Returns the continuation of the caller of a suspending function. */
    public Object continuation() {
        @Nullable Object[] arguments = invocation.getArguments();
        Object last = arguments.length == 0 ? null : arguments[arguments.length - 1];
        if (last == null) {
            throw new IllegalStateException(description() + " was called without a continuation");
        }
        return last;
    }

    /**
     * Calls the function, with another continuation if there is one. Returns a Mono if it suspends, else a Flow. May be called several times.
     */
    public @Nullable Object proceed(@Nullable Object continuation) throws Throwable {
        if (!(invocation instanceof ProxyMethodInvocation proxied)) {
            return invocation.proceed();
        }
        @Nullable Object[] arguments = invocation.getArguments().clone();
        if (continuation != null) {
            arguments[arguments.length - 1] = continuation;
        }
        return proxied.invocableClone(arguments).proceed();
    }

    /** Refuses a result whose work continues although the declared type hides that: it would continue without the lock. */
    public void checkFinished(@Nullable Object result) {
        DecLockedInterceptor.checkFinished(result, operation);
    }

    /** Returns whether a fallback is called for that failure. */
    public boolean fallsBack(DecLockException failure) {
        return operation.fallsBack(failure);
    }

    /**
     * Returns the result of a call whose lock was not granted, or throws. A fallback that suspends is given the continuation, and may return Kotlin's
     * mark for a suspended function.
     */
    public @Nullable Object notGranted(DecLockException failure, @Nullable Object continuation) throws Throwable {
        @Nullable Object[] arguments = invocation.getArguments();
        if (continuation != null) {
            arguments = arguments.clone();
            arguments[arguments.length - 1] = continuation;
        }
        return operation.notGranted(call.getTarget(), arguments, failure);
    }

    /** Releases after the function ended normally; throws {@link io.declock.LockLostException} if the caller must not rely on the result. */
    public void release(LockHandle handle) {
        RuntimeException lost = operation.release(handle, false);
        if (lost != null) {
            throw lost;
        }
    }

    /** Releases after the function failed or was cancelled. */
    public void release(LockHandle handle, Throwable failure) {
        operation.release(handle, failure);
    }
}
