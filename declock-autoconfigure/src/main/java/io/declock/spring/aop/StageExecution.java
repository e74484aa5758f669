// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockScope;
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
        LockScope outer = DecLockContext.currentScope();
        LockScope around = null;
        LockOwner owner = LockOwner.named(Names.of(operation.method()));
        CompletableFuture<LockHandle> acquiring;
        try {
            LockRequest request = operation.request(call);
            around = LockScope.holding(lock, outer, request);
            owner = around == null || around.owner() == null ? owner : around.owner();
            acquiring = lock.acquireAsync(request, owner).toCompletableFuture();
        } catch (RuntimeException e) {
            acquiring = CompletableFuture.failedFuture(e);
        }
        MethodInvocation later =
                invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
        Run run = new Run(later, operation, call, new Owning(lock, owner, around, outer), acquiring);
        run.start(executor);
        return run.result;
    }

    /** The owner that asks, the scope whose locks it enters again if there is one, and the scope around the call. */
    private record Owning(
            DistributedReadWriteLock lock,
            LockOwner owner,
            @Nullable LockScope around,
            @Nullable LockScope outer) {
        /** Returns the scope of what was granted; throws if it is not what was to be entered again. */
        LockScope scope(LockHandle handle) {
            return LockScope.of(lock, around == null ? handle : around.checkEntered(handle), owner, outer);
        }
    }

    /** One call. */
    private static final class Run {
        private final MethodInvocation invocation;
        private final LockedOperation operation;
        private final LockedCall call;
        private final Owning owning;
        private final CompletableFuture<LockHandle> acquiring;
        private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        private final CompletionStage<@Nullable Object> answer = result;

        Run(
                MethodInvocation invocation,
                LockedOperation operation,
                LockedCall call,
                Owning owning,
                CompletableFuture<LockHandle> acquiring) {
            this.invocation = invocation;
            this.operation = operation;
            this.call = call;
            this.owning = owning;
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
                entered(handle);
            }
        }

        private void entered(LockHandle handle) {
            LockScope locks;
            try {
                locks = owning.scope(handle);
            } catch (LockLostException e) {
                notGranted(e);
                return;
            }
            locked(locks);
        }

        private void abandon(@Nullable LockHandle handle, Throwable why) {
            if (handle != null) {
                operation.release(handle, why);
            }
            result.completeExceptionally(why);
        }

        private void abandon(LockScope locks, Throwable why) {
            locks.end();
            abandon(locks.handle(), why);
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

        private void locked(LockScope locks) {
            Object returned;
            DecLockContext.Scope scope = DecLockContext.enter(locks);
            try {
                returned = invocation.proceed();
            } catch (Throwable e) {
                // What follows the result runs at once, and not under the lock.
                scope.close();
                abandon(locks, e);
                return;
            } finally {
                scope.close();
            }
            follow(returned, locks);
        }

        private void follow(@Nullable Object returned, @Nullable LockScope locks) {
            if (!(returned instanceof CompletionStage<?> stage)) {
                ended(locks, returned, null);
                return;
            }
            stage.whenComplete((value, failure) -> ended(locks, value, failure));
            answer.whenComplete((value, failure) -> {
                if (failure != null) {
                    stage.toCompletableFuture().cancel(true);
                }
            });
        }

        private void ended(@Nullable LockScope locks, @Nullable Object value, @Nullable Throwable failure) {
            if (locks != null) {
                locks.end();
            }
            LockHandle handle = locks == null ? null : locks.handle();
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
