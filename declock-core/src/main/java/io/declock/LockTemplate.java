// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs code while locks are held: acquires, runs, and releases whatever happens. It declares no checked exception of its own; those of
 * the code pass through. For code that is no lambda, {@link #acquire} and {@link #tryAcquire} return handles for try-with-resources.
 *
 * <p>The locks are held by the calling thread, which acquires them again ahead of all waiters ({@link #executeAsync}: by an owner of its own
 * for each call). If the locks were lost while the code ran and the code returned normally, the call throws {@link LockLostException}; what the code
 * wrote meanwhile is protected by the fencing token only. An exception of the code goes on to the caller in any case.
 *
 * <p>Thread-safe.
 */
public final class LockTemplate {
    private final DistributedReadWriteLock locks;

    /**
     * Makes a template.
     *
     * @param locks the locks
     */
    public LockTemplate(DistributedReadWriteLock locks) {
        this.locks = locks;
    }

    /**
     * Runs code while a lock is held for writing.
     *
     * @param <T> type of the result
     * @param <E> type of the code's checked exceptions
     * @param name the lock's name
     * @param code the code
     * @return the result of the code
     * @throws E what the code throws
     * @throws DecLockException as {@link #execute(LockRequest, LockedCall)}
     */
    public <T extends @Nullable Object, E extends Exception> T execute(String name, LockedCall<T, E> code) throws E {
        return execute(LockRequest.write(name), code);
    }

    /**
     * Runs code while locks are held.
     *
     * @param <T> type of the result
     * @param <E> type of the code's checked exceptions
     * @param request names, modes, wait time and ceiling
     * @param code the code
     * @return the result of the code
     * @throws E what the code throws
     * @throws LockNotGrantedException if the wait time ran out
     * @throws LockLostException if the locks were lost while the code ran, or if the thread has lost one of them before and not released it
     * @throws MemoryNodeUnavailableException if a memory node that is needed is unavailable
     * @throws LockInterruptedException if the thread was interrupted while it waited
     */
    public <T extends @Nullable Object, E extends Exception> T execute(LockRequest request, LockedCall<T, E> code)
            throws E {
        try (LockHandle handle = acquire(request)) {
            return code.call(handle);
        }
    }

    /**
     * Runs code without a result while a lock is held for writing.
     *
     * @param <E> type of the code's checked exceptions
     * @param name the lock's name
     * @param code the code
     * @throws E what the code throws
     * @throws DecLockException as {@link #execute(LockRequest, LockedCall)}
     */
    public <E extends Exception> void run(String name, LockedAction<E> code) throws E {
        run(LockRequest.write(name), code);
    }

    /**
     * Runs code without a result while locks are held.
     *
     * @param <E> type of the code's checked exceptions
     * @param request names, modes, wait time and ceiling
     * @param code the code
     * @throws E what the code throws
     * @throws DecLockException as {@link #execute(LockRequest, LockedCall)}
     */
    public <E extends Exception> void run(LockRequest request, LockedAction<E> code) throws E {
        try (LockHandle handle = acquire(request)) {
            code.run(handle);
        }
    }

    /**
     * Runs code while a lock is held for writing, if nobody else holds it or waits for it; does not wait.
     *
     * @param <T> type of the result
     * @param <E> type of the code's checked exceptions
     * @param name the lock's name
     * @param code the code
     * @return the result of the code, or that it did not run
     * @throws E what the code throws
     * @throws DecLockException as {@link #tryExecute(LockRequest, LockedCall)}
     */
    public <T extends @Nullable Object, E extends Exception> LockOutcome<T> tryExecute(
            String name, LockedCall<T, E> code) throws E {
        return tryExecute(atOnce(name), code);
    }

    /**
     * Runs code while locks are held, if they are granted within the request's wait time. An unavailable memory node still causes an exception,
     * because it is not known then whether another owner has the lock.
     *
     * @param <T> type of the result
     * @param <E> type of the code's checked exceptions
     * @param request names, modes, wait time and ceiling
     * @param code the code
     * @return the result of the code, or that it did not run
     * @throws E what the code throws
     * @throws LockLostException as {@link #execute(LockRequest, LockedCall)}
     * @throws MemoryNodeUnavailableException if a memory node that is needed is unavailable
     * @throws LockInterruptedException if the thread was interrupted while it waited
     */
    public <T extends @Nullable Object, E extends Exception> LockOutcome<T> tryExecute(
            LockRequest request, LockedCall<T, E> code) throws E {
        try (LockHandle handle = tryAcquire(request)) {
            return handle == null
                    ? LockOutcome.notRun("another owner has one of the locks " + request.names())
                    : LockOutcome.of(code.call(handle));
        }
    }

    /**
     * Runs code without a result while a lock is held for writing, if nobody else holds it or waits for it; does not wait.
     *
     * @param <E> type of the code's checked exceptions
     * @param name the lock's name
     * @param code the code
     * @return whether it ran
     * @throws E what the code throws
     * @throws DecLockException as {@link #tryExecute(LockRequest, LockedCall)}
     */
    public <E extends Exception> boolean tryRun(String name, LockedAction<E> code) throws E {
        return tryRun(atOnce(name), code);
    }

    /**
     * Runs code without a result while locks are held, if they are granted within the request's wait time.
     *
     * @param <E> type of the code's checked exceptions
     * @param request names, modes, wait time and ceiling
     * @param code the code
     * @return whether it ran
     * @throws E what the code throws
     * @throws DecLockException as {@link #tryExecute(LockRequest, LockedCall)}
     */
    public <E extends Exception> boolean tryRun(LockRequest request, LockedAction<E> code) throws E {
        try (LockHandle handle = tryAcquire(request)) {
            if (handle == null) {
                return false;
            }
            code.run(handle);
            return true;
        }
    }

    /**
     * Acquires a lock for writing, for the calling thread. As {@link DistributedReadWriteLock#acquire(LockRequest)}, without a checked
     * exception.
     *
     * @param name the lock's name
     * @return the handle, which the caller closes
     * @throws DecLockException as {@link #acquire(LockRequest)}
     */
    public LockHandle acquire(String name) {
        return acquire(LockRequest.write(name));
    }

    /**
     * Acquires several locks for writing, all or none, for the calling thread. As {@link #acquire(String)}; the order of the names has no importance.
     *
     * @param names the locks' names; those that occur twice count once
     * @return the handle, which the caller closes
     * @throws IllegalArgumentException if there is none
     * @throws DecLockException as {@link #acquire(LockRequest)}
     */
    public LockHandle acquire(Collection<String> names) {
        return acquire(LockRequest.writeAll(names));
    }

    /**
     * Acquires locks for the calling thread. As {@link DistributedReadWriteLock#acquire(LockRequest)}, without a checked exception.
     *
     * @param request names, modes, wait time and ceiling
     * @return the handle, which the caller closes
     * @throws LockNotGrantedException if the wait time ran out
     * @throws LockLostException if the thread has lost one of the locks before and not released it
     * @throws MemoryNodeUnavailableException if a memory node that is needed is unavailable
     * @throws LockInterruptedException if the thread was interrupted while it waited; its interrupt status is set, and nothing is held
     */
    public LockHandle acquire(LockRequest request) {
        try {
            return locks.acquire(request);
        } catch (InterruptedException e) {
            throw interrupted(request, e);
        }
    }

    /**
     * Acquires a lock for writing, for the calling thread, if nobody else holds it or waits for it; does not wait.
     *
     * <p>The result fits try-with-resources, which closes no resource that is null, and a plain {@code if}:
     *
     * <pre>{@code
     * try (LockHandle held = template.tryAcquire("order:42")) {
     *     if (held != null) {
     *         ...
     *     }
     * }
     * }</pre>
     *
     * @param name the lock's name
     * @return the handle, which the caller closes; null if another owner has the lock
     * @throws DecLockException as {@link #tryAcquire(LockRequest)}
     */
    public @Nullable LockHandle tryAcquire(String name) {
        return tryAcquire(atOnce(name));
    }

    /**
     * Acquires locks for the calling thread, if they are granted within the request's wait time. An unavailable memory node still causes an
     * exception, because it is not known then whether another owner has the lock.
     *
     * @param request names, modes, wait time and ceiling
     * @return the handle, which the caller closes; null if another owner has one of the locks
     * @throws LockLostException if the thread has lost one of the locks before and not released it
     * @throws MemoryNodeUnavailableException if a memory node that is needed is unavailable
     * @throws LockInterruptedException if the thread was interrupted while it waited; its interrupt status is set, and nothing is held
     */
    public @Nullable LockHandle tryAcquire(LockRequest request) {
        try {
            return locks.tryAcquire(request).orElse(null);
        } catch (InterruptedException e) {
            throw interrupted(request, e);
        }
    }

    private static LockRequest atOnce(String name) {
        return LockRequest.write(name).waitTime(Duration.ZERO);
    }

    /**
     * Runs code that returns a stage, without blocking a thread: the locks are held from before the code is called until its stage has
     * terminated. The code is called on the calling thread if the locks are granted at once, else on a thread of the library: it must be
     * quick, or use an executor of its own.
     *
     * <p>Cancelling the result withdraws a waiting request. If the code runs already, its stage is cancelled, and the locks are held until that
     * has terminated.
     *
     * @param <T> type of the result
     * @param request names, modes, wait time and ceiling
     * @param code the code
     * @return completes as the code's stage; or exceptionally as {@link #execute(LockRequest, LockedCall)} throws, or with what the code threw
     */
    public <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Function<? super LockHandle, ? extends CompletionStage<T>> code) {
        LockedStage<T> stage = new LockedStage<>(code);
        LockOwner owner = LockOwner.named("LockTemplate " + request.names().keySet());
        stage.start(locks.acquireAsync(request, owner).toCompletableFuture());
        return stage.result();
    }

    private static LockInterruptedException interrupted(LockRequest request, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new LockInterruptedException("interrupted while waiting for the locks " + request.names(), cause);
    }

    /** One call of {@link #executeAsync}. */
    private static final class LockedStage<T extends @Nullable Object> {
        private final Function<? super LockHandle, ? extends CompletionStage<T>> code;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        LockedStage(Function<? super LockHandle, ? extends CompletionStage<T>> code) {
            this.code = code;
        }

        CompletableFuture<T> result() {
            return result;
        }

        void start(CompletableFuture<LockHandle> acquiring) {
            cancelWithResult(acquiring);
            CompletionStage<LockHandle> granted = acquiring;
            granted.whenComplete((handle, failure) -> {
                if (handle == null) {
                    result.completeExceptionally(unwrapped(failure));
                } else if (result.isDone()) {
                    release(handle, null);
                } else {
                    call(handle);
                }
            });
        }

        /** Cancels a future when the result is cancelled or failed by its owner; a future that is done stays as it is. */
        private void cancelWithResult(CompletableFuture<?> behind) {
            CompletionStage<T> answer = result;
            answer.whenComplete((value, failure) -> {
                if (failure != null) {
                    behind.cancel(true);
                }
            });
        }

        private void call(LockHandle handle) {
            CompletionStage<T> stage;
            try {
                stage = Objects.requireNonNull(code.apply(handle), "the code returned no stage");
            } catch (RuntimeException | Error e) {
                release(handle, e);
                result.completeExceptionally(e);
                return;
            }
            stage.whenComplete((value, failure) -> {
                Throwable cause = failure == null ? null : unwrapped(failure);
                Throwable lost = release(handle, cause);
                if (cause != null) {
                    result.completeExceptionally(cause);
                } else if (lost != null) {
                    result.completeExceptionally(lost);
                } else {
                    result.complete(value);
                }
            });
            cancelWithResult(stage.toCompletableFuture());
        }

        /** Releases; returns why the locks had been lost, or null. */
        private static @Nullable Throwable release(LockHandle handle, @Nullable Throwable failure) {
            try {
                handle.close();
                return null;
            } catch (LockLostException e) {
                if (failure != null) {
                    failure.addSuppressed(e);
                }
                return e;
            }
        }

        // As StageFailure does below io.declock.internal, of which the API may use nothing.
        private static Throwable unwrapped(@Nullable Throwable failure) {
            if (failure == null) {
                return new DecLockException("no handle was granted");
            }
            return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        }
    }
}
