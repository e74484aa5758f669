// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockScope;
import io.declock.spring.DecLockContext;
import io.declock.spring.reactive.ReactiveDecLockContext;
import io.declock.spring.support.HandleFuture;
import io.declock.spring.support.ScopedAcquisition;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

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
                ? Mono.deferContextual(context -> subscription(lock, invocation, operation, call, adapter, context)
                        .mono())
                : Flux.deferContextual(context -> subscription(lock, invocation, operation, call, adapter, context)
                        .flux());
        return adapter.fromPublisher(locked);
    }

    private static Subscription subscription(
            DistributedReadWriteLock lock,
            MethodInvocation invocation,
            LockedOperation operation,
            LockedCall call,
            ReactiveAdapter adapter,
            ContextView context) {
        ScopedAcquisition acquisition = new ScopedAcquisition(
                lock, ReactiveDecLockContext.scope(context), () -> LockOwner.named(Names.of(operation.method())));
        return new Subscription(acquisition, invocation, operation, call, adapter);
    }

    /** One subscription. */
    private static final class Subscription {
        private final ScopedAcquisition acquisition;
        private final MethodInvocation invocation;
        private final LockedOperation operation;
        private final LockedCall call;
        private final ReactiveAdapter adapter;
        private volatile @Nullable LockLostException lost;

        Subscription(
                ScopedAcquisition acquisition,
                MethodInvocation invocation,
                LockedOperation operation,
                LockedCall call,
                ReactiveAdapter adapter) {
            this.acquisition = acquisition;
            this.invocation = invocation;
            this.operation = operation;
            this.call = call;
            this.adapter = adapter;
        }

        Mono<Object> mono() {
            return Mono.usingWhen(
                            acquire(),
                            locks -> Mono.from(body(locks)),
                            this::release,
                            this::releaseFailed,
                            this::release)
                    .flatMap(value -> checked(Mono.just(value)))
                    .switchIfEmpty(Mono.defer(() -> checked(Mono.empty())))
                    .onErrorResume(NotAcquired.class, failure -> Mono.from(notGranted(failure)));
        }

        Flux<Object> flux() {
            return Flux.usingWhen(acquire(), this::body, this::release, this::releaseFailed, this::release)
                    .concatWith(Mono.defer(() -> checked(Mono.empty())))
                    .onErrorResume(NotAcquired.class, this::notGranted);
        }

        private Mono<LockScope> acquire() {
            return acquisition
                    .acquire(() -> operation.request(call))
                    .onErrorMap(failure -> new NotAcquired(HandleFuture.unwrap(failure)));
        }

        private Publisher<Object> body(LockScope locks) {
            Flux<Object> called = Flux.defer(() -> {
                MethodInvocation once =
                        invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
                DecLockContext.Scope scope = DecLockContext.enter(locks);
                try {
                    return adapter.toPublisher(once.proceed());
                } catch (Throwable e) {
                    return Flux.error(e);
                } finally {
                    scope.close();
                }
            });
            return (acquisition.isGrantedAtOnce() ? called : called.subscribeOn(Schedulers.parallel()))
                    .contextWrite(context -> ReactiveDecLockContext.with(context, locks));
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

        private Mono<Void> release(LockScope locks) {
            return Mono.fromRunnable(() -> {
                locks.end();
                lost = operation.release(locks.handle(), false);
            });
        }

        private Mono<Void> releaseFailed(LockScope locks, Throwable failure) {
            return Mono.fromRunnable(() -> {
                locks.end();
                operation.release(locks.handle(), failure);
            });
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
