// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockScope;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLockedMisuseException;
import io.declock.spring.transaction.KeptLock;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Runs locked methods under their lock. Thread-safe. */
final class DecLockedInterceptor implements MethodInterceptor {
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", DecLockedInterceptor.class.getClassLoader());

    static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.annotation.Transactional", DecLockedInterceptor.class.getClassLoader());

    private final @Nullable CallersTransaction callersTransaction;
    private final LockedOperations operations;
    private final Supplier<DistributedReadWriteLock> lock;
    private final StageExecution stages;

    /**
     * Makes one.
     *
     * @param lock supplies the locks; called at the first invocation
     * @param executor runs methods that return a stage when their lock was not granted at once; called at the first such invocation
     * @param callersTransactions says what to do about locks inside of a caller's transaction; called at the first of them
     */
    DecLockedInterceptor(
            LockedOperations operations,
            Supplier<DistributedReadWriteLock> lock,
            Supplier<Executor> executor,
            Supplier<CallersTransactionPolicy> callersTransactions) {
        this.callersTransaction = TRANSACTIONS ? new CallersTransaction(callersTransactions) : null;
        this.operations = operations;
        this.lock = SingletonSupplier.of(lock);
        this.stages = new StageExecution(SingletonSupplier.of(executor));
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LockedOperation operation = operations.get(invocation.getMethod(), targetClass);
        LockedCall call = new LockedCall(operation, target, targetClass, invocation.getArguments());
        return switch (operation.kind()) {
            case PLAIN -> plain(invocation, operation, call);
            case STAGE -> stages.run(lock.get(), invocation, operation, call);
            case REACTIVE -> ReactiveExecution.run(lock.get(), invocation, operation, call);
            case SUSPENDING ->
                operations.coroutines().suspending(new LockedCoroutine(lock.get(), invocation, operation, call));
            case FLOW -> operations.coroutines().flow(new LockedCoroutine(lock.get(), invocation, operation, call));
        };
    }

    private @Nullable Object plain(MethodInvocation invocation, LockedOperation operation, LockedCall call)
            throws Throwable {
        LockScope outer = DecLockContext.currentScope();
        CallersTransaction keeper =
                callersTransaction != null && callersTransaction.keepsLock(operation) ? callersTransaction : null;
        LockScope locks;
        try {
            LockRequest request = operation.request(call);
            if (callersTransaction != null && keeper == null) {
                callersTransaction.check(operation, request);
            }
            locks = acquire(operation, request, outer);
        } catch (LockNotGrantedException | MemoryNodeUnavailableException e) {
            return operation.notGranted(call.getTarget(), call.getArgs(), e);
        } catch (InterruptedException e) {
            throw interrupted(operation, e);
        }
        Object result;
        LockHandle handle = locks.handle();
        if (operation.interruptOnLost()) {
            handle.interruptOnLost();
        }
        DecLockContext.Scope scope = DecLockContext.enter(locks, operation.guardsCommits());
        try {
            result = invocation.proceed();
            checkFinished(result, operation);
        } catch (Throwable failure) {
            // What the method has left running must not enter by the owner what is about to be given back.
            locks.end();
            if (keeper != null && handle.isValid()) {
                // The caller may handle the failure, and commit.
                keeper.keep(operation, handle);
            } else {
                operation.release(handle, failure);
            }
            throw failure;
        } finally {
            scope.close();
        }
        locks.end();
        if (keeper != null && handle.isValid()) {
            keeper.keep(operation, handle);
            return result;
        }
        LockLostException lost = operation.release(handle, scope.hasCommitted());
        if (lost != null) {
            throw lost;
        }
        return result;
    }

    /**
     * Acquires by the owner of a stage, pipeline or coroutine around that holds the locks already, else by the thread. Inside of a coroutine the
     * thread is no owner of its own: where the method runs an event loop ({@code runBlocking}), another coroutine may come in on the same thread. A
     * transaction belongs to the thread again, with the locks that are kept for it.
     */
    private LockScope acquire(LockedOperation operation, LockRequest request, @Nullable LockScope outer)
            throws InterruptedException {
        DistributedReadWriteLock locks = lock.get();
        LockScope around = LockScope.holding(locks, outer, request);
        if (around != null && around.owner() != null) {
            LockOwner owner = around.owner();
            return LockScope.of(locks, around.checkEntered(locks.acquire(request, owner)), owner, outer);
        }
        if (outer == null || outer.owner() == null || (TRANSACTIONS && KeptLock.isPossible())) {
            return LockScope.of(locks, locks.acquire(request), null, outer);
        }
        LockOwner own = LockOwner.named(Names.of(operation.method()));
        return LockScope.of(locks, locks.acquire(request, own), own, outer);
    }

    private static Exception interrupted(LockedOperation operation, InterruptedException e) {
        if (Arrays.stream(operation.method().getExceptionTypes())
                .anyMatch(type -> type.isAssignableFrom(InterruptedException.class))) {
            return e;
        }
        Thread.currentThread().interrupt();
        return new DecLockException(
                "Interrupted while " + Names.of(operation.method()) + " waited for its lock; it was not run", e);
    }

    /** Refuses a result whose work continues after the return although the declared type hides that: it would continue without the lock. */
    static void checkFinished(@Nullable Object result, LockedOperation operation) {
        if (result != null && goesOn(result)) {
            throw new DecLockedMisuseException(
                    Names.of(operation.method()) + " is @DecLocked and declared to return "
                            + operation.result().resolve(Object.class).getSimpleName() + ", but returned a "
                            + result.getClass().getName()
                            + " whose work would continue without the lock. Declare CompletionStage, CompletableFuture, Mono, Flux or Flow, or let the function suspend.",
                    null);
        }
    }

    private static boolean goesOn(Object result) {
        if (result instanceof Future<?> future) {
            return !future.isDone();
        }
        return result instanceof CompletionStage<?>
                || KotlinTypes.goesOn(result)
                || (REACTOR && ReactiveExecution.isPublisher(result));
    }
}
