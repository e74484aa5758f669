// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.spring.DecLockContext;
import io.declock.spring.support.HandleFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * Runs a method that returns a stage: acquires without blocking, calls the method when the lock is granted, and releases when the
 * method's stage has terminated.
 *
 * <p>When the lock is granted at once, the method runs on the caller's thread, otherwise on the executor, never on a thread of the
 * library. Cancelling the returned future withdraws a waiting request. If the method already runs, cancelling cancels its stage, and
 * the lock is held until that stage has completed. Thread-safe.
 */
final class StageExecution {
    private final Supplier<Executor> executor;

    StageExecution(Supplier<Executor> executor) {
        this.executor = executor;
    }

    CompletableFuture<@Nullable Object> run(
            DistributedReadWriteLock lock, MethodInvocation invocation, LockedOperation operation, LockedCall call) {
        LockOwner outer = DecLockContext.currentOwner();
        LockOwner owner = outer != null ? outer : LockOwner.named(Names.of(operation.method()));
        CompletableFuture<LockHandle> acquiring;
        try {
            acquiring = lock.acquireAsync(operation.request(call), owner).toCompletableFuture();
        } catch (RuntimeException e) {
            acquiring = CompletableFuture.failedFuture(e);
        }
        MethodInvocation later =
                invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
        Run run = new Run(later, operation, call, owner, acquiring);
        run.start(executor);
        return run.result;
    }

    /** One call. */
    private static final class Run {
        private final MethodInvocation invocation;
        private final LockedOperation operation;
        private final LockedCall call;
        private final LockOwner owner;
        private final CompletableFuture<LockHandle> acquiring;
        private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        private final CompletionStage<@Nullable Object> answer = result;

        Run(
                MethodInvocation invocation,
                LockedOperation operation,
                LockedCall call,
                LockOwner owner,
                CompletableFuture<LockHandle> acquiring) {
            this.invocation = invocation;
            this.operation = operation;
            this.call = call;
            this.owner = owner;
            this.acquiring = acquiring;
        }

        void start(Supplier<Executor> executor) {
            CompletionStage<LockHandle> granted = acquiring;
            if (acquiring.isDone()) {
                granted.whenComplete(this::acquired);
                return;
            }
            granted.whenComplete((handle, failure) -> {
                try {
                    executor.get().execute(() -> acquired(handle, failure));
                } catch (RejectedExecutionException e) {
                    abandon(handle, e);
                }
            });
            answer.whenComplete((value, failure) -> {
                if (!acquiring.isDone()) {
                    acquiring.cancel(false);
                }
            });
        }

        private void acquired(@Nullable LockHandle handle, @Nullable Throwable failure) {
            if (handle == null) {
                notGranted(
                        HandleFuture.unwrap(failure == null ? new DecLockException("No handle was granted") : failure));
            } else if (result.isDone()) {
                abandon(handle, new DecLockException("cancelled"));
            } else {
                locked(handle);
            }
        }

        private void abandon(@Nullable LockHandle handle, Throwable why) {
            if (handle != null) {
                operation.release(handle, why);
            }
            result.completeExceptionally(why);
        }

        private void notGranted(Throwable failure) {
            try {
                if (!(failure instanceof DecLockException refused)) {
                    result.completeExceptionally(failure);
                } else if (operation.fallsBack(refused)) {
                    follow(operation.notGranted(call.getTarget(), call.getArgs(), refused), null);
                } else {
                    result.complete(operation.notGranted(call.getTarget(), call.getArgs(), refused));
                }
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        }

        private void locked(LockHandle handle) {
            Object returned;
            DecLockContext.Scope scope = DecLockContext.enter(handle, owner);
            try {
                returned = invocation.proceed();
            } catch (Throwable e) {
                abandon(handle, e);
                return;
            } finally {
                scope.close();
            }
            follow(returned, handle);
        }

        private void follow(@Nullable Object returned, @Nullable LockHandle handle) {
            if (!(returned instanceof CompletionStage<?> stage)) {
                ended(handle, returned, null);
                return;
            }
            stage.whenComplete((value, failure) -> ended(handle, value, failure));
            answer.whenComplete((value, failure) -> {
                if (failure != null) {
                    stage.toCompletableFuture().cancel(true);
                }
            });
        }

        private void ended(@Nullable LockHandle handle, @Nullable Object value, @Nullable Throwable failure) {
            if (failure != null) {
                abandon(handle, HandleFuture.unwrap(failure));
                return;
            }
            LockLostException lost = handle == null ? null : operation.release(handle, false);
            if (lost != null) {
                result.completeExceptionally(lost);
            } else {
                result.complete(value);
            }
        }
    }
}
