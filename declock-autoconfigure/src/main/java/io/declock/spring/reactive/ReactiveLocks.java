// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.reactive;

import io.declock.DistributedReadWriteLock;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockScope;
import io.declock.spring.support.HandleFuture;
import io.declock.spring.support.ScopedAcquisition;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/**
 * Locks for pipelines without an annotation.
 *
 * <pre>{@code
 * orders.findById(42)
 *         .flatMap(order -> orders.save(order.shipped()))
 *         .transform(ReactiveLocks.locked(locks, LockRequest.write("order:42")));
 * }</pre>
 *
 * <p>Stateless.
 */
public final class ReactiveLocks {
    private ReactiveLocks() {}

    /**
     * Makes an operator for {@link Mono#transform} and {@link Flux#transform}: each subscription acquires without blocking, then subscribes to the
     * publisher before the operator, and releases when that has terminated or was cancelled. No thread is blocked.
     *
     * <p>If the locks are granted at once, the subscription goes on on the subscriber's thread, otherwise on Reactor's parallel scheduler. Locks
     * that an enclosing pipeline holds are asked for by its owner, so that they are acquired again ahead of all waiters; any others by an owner of
     * their own, so that pipelines that run side by side exclude each other. {@link ReactiveDecLockContext} has the handle.
     *
     * <p>The result fails with {@link io.declock.LockNotGrantedException} if the wait time ran out, with {@link
     * io.declock.MemoryNodeUnavailableException} if a memory node that is needed is unavailable, and with {@link LockLostException} instead of
     * completing if the locks were lost meanwhile, and with an {@link IllegalStateException} if enclosing pipelines hold some of the locks and not the
     * others, or by several owners.
     *
     * @param <T> type of the elements
     * @param locks the locks
     * @param request names, modes, wait time and ceiling
     * @return the operator
     */
    public static <T> Function<Publisher<T>, Publisher<T>> locked(DistributedReadWriteLock locks, LockRequest request) {
        return source -> source instanceof Mono<T> one
                ? Mono.deferContextual(context -> new Locked<T>(locks, request, context).around(one))
                : Flux.deferContextual(context -> new Locked<T>(locks, request, context).around(Flux.from(source)));
    }

    private static LockOwner owner(LockRequest request) {
        return LockOwner.named("pipeline under " + request.names().keySet());
    }

    /** One subscription. */
    private static final class Locked<T> {
        private final ScopedAcquisition acquisition;
        private final LockRequest request;
        private final AtomicReference<@Nullable LockLostException> lost = new AtomicReference<>();

        Locked(DistributedReadWriteLock locks, LockRequest request, ContextView context) {
            this.acquisition =
                    new ScopedAcquisition(locks, ReactiveDecLockContext.scope(context), () -> owner(request));
            this.request = request;
        }

        Mono<T> around(Mono<T> source) {
            return Mono.usingWhen(
                            acquire(),
                            scope -> (acquisition.isGrantedAtOnce()
                                            ? source
                                            : source.subscribeOn(Schedulers.parallel()))
                                    .contextWrite(context -> ReactiveDecLockContext.with(context, scope)),
                            this::release,
                            (scope, failure) -> release(scope),
                            this::release)
                    .flatMap(value -> ended(Mono.just(value)))
                    .switchIfEmpty(Mono.defer(() -> ended(Mono.empty())));
        }

        Flux<T> around(Flux<T> source) {
            return Flux.usingWhen(
                            acquire(),
                            scope -> (acquisition.isGrantedAtOnce()
                                            ? source
                                            : source.subscribeOn(Schedulers.parallel()))
                                    .contextWrite(context -> ReactiveDecLockContext.with(context, scope)),
                            this::release,
                            (scope, failure) -> release(scope),
                            this::release)
                    .concatWith(Mono.defer(() -> ended(Mono.empty())));
        }

        private Mono<LockScope> acquire() {
            return acquisition.acquire(() -> request).onErrorMap(HandleFuture::unwrap);
        }

        private Mono<Void> release(LockScope scope) {
            return Mono.fromRunnable(() -> {
                scope.end();
                try {
                    scope.handle().close();
                } catch (LockLostException e) {
                    lost.set(e);
                }
            });
        }

        private Mono<T> ended(Mono<T> otherwise) {
            LockLostException why = lost.get();
            return why == null ? otherwise : Mono.error(why);
        }
    }
}
