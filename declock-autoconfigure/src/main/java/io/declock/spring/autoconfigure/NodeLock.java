// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockNames;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.AcquisitionInterceptor;
import io.declock.spring.AcquisitionInterceptor.Acquisition;
import io.declock.spring.AcquisitionInterceptor.AsyncAcquisition;
import io.declock.spring.support.HandleFuture;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The locks of the application's compute node that is running at the time of the call, behind the interceptors. Without interceptors a call
 * goes straight to the compute node. Thread-safe.
 */
final class NodeLock implements DistributedReadWriteLock {
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    private final DecLockNode node;
    private final List<AcquisitionInterceptor> interceptors;

    NodeLock(DecLockNode node, List<AcquisitionInterceptor> interceptors) {
        this.node = node;
        this.interceptors = List.copyOf(interceptors);
    }

    @Override
    public ReadWriteLock lock(String name) {
        ReadWriteLock plain = node.running().lock(name);
        return interceptors.isEmpty()
                ? plain
                : new Views(
                        new View(plain.readLock(), LockRequest.read(name).waitTime(FOR_EVER)),
                        new View(plain.writeLock(), LockRequest.write(name).waitTime(FOR_EVER)));
    }

    @Override
    public LockHandle acquire(LockRequest request) throws InterruptedException {
        return interceptors.isEmpty()
                ? node.running().acquire(request)
                : granted(request, asked -> node.running().acquire(asked), LockHandle::close);
    }

    @Override
    public LockHandle acquire(LockRequest request, LockOwner owner) throws InterruptedException {
        return interceptors.isEmpty()
                ? node.running().acquire(request, owner)
                : granted(request, asked -> node.running().acquire(asked, owner), LockHandle::close);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
        if (interceptors.isEmpty()) {
            return node.running().tryAcquire(request);
        }
        Attempt<LockHandle> attempt = asked -> node.running().tryAcquire(asked).orElse(null);
        return Optional.ofNullable(new Call<>(attempt, LockHandle::close).run(request));
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, LockOwner owner) {
        if (interceptors.isEmpty()) {
            return node.running().acquireAsync(request, owner);
        }
        HandleFuture result = new HandleFuture();
        rest(0, asked -> result.behind(node.running().acquireAsync(asked, owner)))
                .acquire(request)
                .whenComplete(result::end);
        return result;
    }

    /** Returns the rest of an asynchronous acquisition from one interceptor on. It never throws. */
    private AsyncAcquisition rest(int position, AsyncAcquisition lock) {
        return request -> {
            try {
                return position == interceptors.size()
                        ? lock.acquire(request)
                        : interceptors.get(position).acquireAsync(request, rest(position + 1, lock));
            } catch (RuntimeException | Error e) {
                return CompletableFuture.failedStage(e);
            }
        };
    }

    private <T> T granted(LockRequest request, Attempt<T> attempt, Consumer<T> release) throws InterruptedException {
        T grant = new Call<>(attempt, release).run(request);
        if (grant == null) {
            throw new LockNotGrantedException(
                    "Lock " + LockNames.quoted(request.name()) + " was not granted, because an interceptor refused it");
        }
        return grant;
    }

    /** Asks the compute node once. */
    @FunctionalInterface
    private interface Attempt<T> {
        /** Returns what was granted, or null. */
        @Nullable
        T ask(LockRequest request) throws InterruptedException;
    }

    /** One acquisition on the calling thread, on its way through the interceptors. It alone has what was granted. Not thread-safe. */
    private final class Call<T> implements Acquisition {
        private final Attempt<T> attempt;
        private final Consumer<T> release;
        private int position;
        private @Nullable T grant;

        Call(Attempt<T> attempt, Consumer<T> release) {
            this.attempt = attempt;
            this.release = release;
        }

        @Nullable
        T run(LockRequest request) throws InterruptedException {
            boolean granted = false;
            try {
                granted = acquire(request);
                return granted ? grant : null;
            } finally {
                if (!granted) {
                    giveBack();
                }
            }
        }

        @Override
        public boolean acquire(LockRequest request) throws InterruptedException {
            if (position == interceptors.size()) {
                // An interceptor may ask again although it was granted the lock.
                giveBack();
                grant = attempt.ask(request);
                return grant != null;
            }
            AcquisitionInterceptor next = interceptors.get(position++);
            try {
                return next.acquire(request, this);
            } finally {
                position--;
            }
        }

        private void giveBack() {
            T unused = grant;
            grant = null;
            if (unused != null) {
                try {
                    release.accept(unused);
                } catch (LockLostException e) {
                    // Nobody has used it.
                }
            }
        }
    }

    private record Views(Lock readLock, Lock writeLock) implements ReadWriteLock {}

    /** A view of one lock in one mode. Its acquisitions have no handles, and {@code lock} has no time limit whatever the request says. */
    private final class View implements Lock {
        private final Lock view;
        private final LockRequest request;

        View(Lock view, LockRequest request) {
            this.view = view;
            this.request = request;
        }

        @Override
        public void lock() {
            Attempt<Lock> attempt = asked -> {
                view.lock();
                return view;
            };
            try {
                granted(request, attempt, Lock::unlock);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            Attempt<Lock> attempt = asked -> {
                view.lockInterruptibly();
                return view;
            };
            granted(request, attempt, Lock::unlock);
        }

        @Override
        public boolean tryLock() {
            try {
                return tryFor(Duration.ZERO, asked -> view.tryLock() ? view : null);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return tryFor(
                    Duration.ofNanos(Math.max(0, unit.toNanos(time))),
                    asked -> view.tryLock(nanos(asked.waitTime()), TimeUnit.NANOSECONDS) ? view : null);
        }

        private boolean tryFor(Duration wait, Attempt<Lock> attempt) throws InterruptedException {
            return new Call<>(attempt, Lock::unlock).run(request.waitTime(wait)) != null;
        }

        @Override
        public void unlock() {
            view.unlock();
        }

        @Override
        public Condition newCondition() {
            return view.newCondition();
        }

        @Override
        public String toString() {
            return view.toString();
        }
    }

    /** An interceptor was interrupted; the lock itself waits without regard to interrupts. */
    private static DecLockException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new DecLockException("Interrupted before the lock was granted: " + e.getMessage(), e);
    }

    private static long nanos(@Nullable Duration wait) {
        return TimeUnit.NANOSECONDS.convert(wait == null ? FOR_EVER : wait);
    }
}
