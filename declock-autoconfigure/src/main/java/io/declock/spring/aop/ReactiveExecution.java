// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.DecLockContext;
import io.declock.spring.reactive.ReactiveDecLockContext;
import io.declock.spring.support.HandleFuture;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Runs a method that returns a publisher: each subscription acquires without blocking, calls the method, subscribes to the publisher
 * that it returns, and releases when that publisher has terminated or was cancelled.
 *
 * <p>When the lock is granted at once, the method is called on the subscriber's thread, otherwise on Reactor's parallel scheduler, never
 * on a thread of the library. This is the only class of this package that needs Reactor. Stateless.
 */
final class ReactiveExecution {
    private ReactiveExecution() {}

    static boolean isPublisher(Object result) {
        return result instanceof Publisher<?>;
    }

    static Object run(
            DistributedReadWriteLock lock, MethodInvocation invocation, LockedOperation operation, LockedCall call) {
        Class<?> type = operation.method().getReturnType();
        ReactiveAdapter adapter = LockedOperations.adapter(type);
        if (adapter == null) {
            throw new IllegalStateException(type + " is not reactive");
        }
        boolean single = !adapter.isMultiValue();
        Publisher<Object> locked = single
                ? Mono.deferContextual(context ->
                        new Subscription(lock, invocation, operation, call, adapter).mono(owner(context, operation)))
                : Flux.deferContextual(context ->
                        new Subscription(lock, invocation, operation, call, adapter).flux(owner(context, operation)));
        return adapter.fromPublisher(locked);
    }

    private static LockOwner owner(reactor.util.context.ContextView context, LockedOperation operation) {
        return ReactiveDecLockContext.owner(context).orElseGet(() -> LockOwner.named(Names.of(operation.method())));
    }

    /** One subscription. */
    private static final class Subscription {
        private final DistributedReadWriteLock lock;
        private final MethodInvocation invocation;
        private final LockedOperation operation;
        private final LockedCall call;
        private final ReactiveAdapter adapter;
        private volatile boolean grantedAtOnce;
        private volatile @Nullable LockLostException lost;

        Subscription(
                DistributedReadWriteLock lock,
                MethodInvocation invocation,
                LockedOperation operation,
                LockedCall call,
                ReactiveAdapter adapter) {
            this.lock = lock;
            this.invocation = invocation;
            this.operation = operation;
            this.call = call;
            this.adapter = adapter;
        }

        Mono<Object> mono(LockOwner owner) {
            return Mono.usingWhen(
                            acquire(owner),
                            handle -> Mono.from(body(handle, owner)),
                            this::release,
                            this::releaseFailed,
                            this::release)
                    .flatMap(value -> checked(Mono.just(value)))
                    .switchIfEmpty(Mono.defer(() -> checked(Mono.empty())))
                    .onErrorResume(NotAcquired.class, failure -> Mono.from(notGranted(failure)));
        }

        Flux<Object> flux(LockOwner owner) {
            return Flux.usingWhen(
                            acquire(owner),
                            handle -> body(handle, owner),
                            this::release,
                            this::releaseFailed,
                            this::release)
                    .concatWith(Mono.defer(() -> checked(Mono.empty())))
                    .onErrorResume(NotAcquired.class, this::notGranted);
        }

        private Mono<LockHandle> acquire(LockOwner owner) {
            return Mono.fromFuture(() -> {
                        LockRequest request = operation.request(call);
                        CompletableFuture<LockHandle> acquiring =
                                lock.acquireAsync(request, owner).toCompletableFuture();
                        grantedAtOnce = acquiring.isDone();
                        return acquiring;
                    })
                    .doOnDiscard(LockHandle.class, LockHandle::close)
                    .onErrorMap(failure -> new NotAcquired(HandleFuture.unwrap(failure)));
        }

        private Publisher<Object> body(LockHandle handle, LockOwner owner) {
            Flux<Object> called = Flux.defer(() -> {
                MethodInvocation once =
                        invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
                DecLockContext.Scope scope = DecLockContext.enter(handle, owner);
                try {
                    return adapter.toPublisher(once.proceed());
                } catch (Throwable e) {
                    return Flux.error(e);
                } finally {
                    scope.close();
                }
            });
            return (grantedAtOnce ? called : called.subscribeOn(Schedulers.parallel()))
                    .contextWrite(context -> ReactiveDecLockContext.with(context, handle, owner));
        }

        private Publisher<Object> notGranted(NotAcquired failure) {
            if (!(failure.reason instanceof DecLockException refused)) {
                return Flux.error(failure.reason);
            }
            try {
                Object instead = operation.notGranted(call.getTarget(), call.getArgs(), refused);
                return operation.fallsBack(refused) ? adapter.toPublisher(instead) : Flux.empty();
            } catch (Throwable e) {
                return Flux.error(e);
            }
        }

        private Mono<Void> release(LockHandle handle) {
            return Mono.fromRunnable(() -> lost = operation.release(handle, false));
        }

        private Mono<Void> releaseFailed(LockHandle handle, Throwable failure) {
            return Mono.fromRunnable(() -> operation.release(handle, failure));
        }

        private Mono<Object> checked(Mono<Object> otherwise) {
            LockLostException why = lost;
            return why == null ? otherwise : Mono.error(why);
        }
    }

    /** Tells a failed acquisition from a failure inside the method. */
    private static final class NotAcquired extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final Throwable reason;

        NotAcquired(Throwable reason) {
            super(reason.getMessage(), reason, false, false);
            this.reason = reason;
        }
    }
}
