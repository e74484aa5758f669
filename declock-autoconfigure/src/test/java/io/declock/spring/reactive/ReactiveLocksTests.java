// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.Contexts;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.springframework.context.ApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.util.context.ContextView;

@Timeout(60)
class ReactiveLocksTests {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final LockRequest REQUEST = LockRequest.write("order:42");

    private interface WithLocks {
        void use(DistributedReadWriteLock locks, ApplicationContext context) throws Exception;
    }

    private static void with(WithLocks test) {
        Contexts.locks().run(context -> test.use(context.getBean(DistributedReadWriteLock.class), context));
    }

    private static boolean isFree(DistributedReadWriteLock locks) throws InterruptedException {
        LockRequest soon = REQUEST.waitTime(Duration.ofMillis(300));
        try (LockHandle handle = locks.acquire(soon, LockOwner.named("another owner"))) {
            return handle.isValid();
        } catch (LockNotGrantedException e) {
            return false;
        }
    }

    @Test
    void aMonoHoldsTheLockUntilItEnds() {
        with((locks, context) -> {
            Sinks.One<String> source = Sinks.one();
            Mono<String> locked = source.asMono().transform(ReactiveLocks.locked(locks, REQUEST));
            assertThat(isFree(locks)).as("before the subscription").isTrue();
            StepVerifier.create(locked)
                    .then(() -> assertThat(isFreeNow(locks)).isFalse())
                    .then(() -> source.tryEmitValue("shipped"))
                    .expectNext("shipped")
                    .expectComplete()
                    .verify(PATIENCE);
            assertThat(isFree(locks)).isTrue();
        });
    }

    private static boolean isFreeNow(DistributedReadWriteLock locks) {
        try {
            return isFree(locks);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void eachSubscriptionAcquires() {
        with((locks, context) -> {
            AtomicInteger tokens = new AtomicInteger();
            Flux<Long> locked = Flux.from(ReactiveDecLockContext.currentToken())
                    .doOnNext(token -> tokens.incrementAndGet())
                    .transform(ReactiveLocks.locked(locks, REQUEST));
            Long first = locked.blockFirst(PATIENCE);
            Long second = locked.blockFirst(PATIENCE);
            assertThat(second).isGreaterThan(first);
            assertThat(tokens).hasValue(2);
        });
    }

    @Test
    void anErrorGoesOnAndTheLockIsFree() {
        with((locks, context) -> {
            Flux<String> locked = Flux.concat(Mono.just("one"), Mono.<String>error(new IOException("no paper")))
                    .transform(ReactiveLocks.locked(locks, REQUEST));
            StepVerifier.create(locked)
                    .expectNext("one")
                    .expectErrorMessage("no paper")
                    .verify(PATIENCE);
            assertThat(isFree(locks)).isTrue();
            StepVerifier.create(Mono.error(new IOException("no paper")).transform(ReactiveLocks.locked(locks, REQUEST)))
                    .expectErrorMessage("no paper")
                    .verify(PATIENCE);
            assertThat(isFree(locks)).isTrue();
        });
    }

    @Test
    void aPipelineThatHadToWaitGoesOnOnReactorsParallelScheduler() {
        with((locks, context) -> {
            ComputeNodeMonitor monitor = context.getBean(ComputeNodeMonitor.class);
            Mono<String> one = Mono.fromCallable(() -> Thread.currentThread().getName());
            for (Publisher<String> source : List.of(one, one.flux())) {
                CompletableFuture<String> thread;
                try (LockHandle held = locks.acquire(REQUEST, LockOwner.named("another owner"))) {
                    Function<Publisher<String>, Publisher<String>> locked = ReactiveLocks.locked(locks, REQUEST);
                    thread = Flux.from(locked.apply(source)).next().toFuture();
                    await().atMost(PATIENCE).until(() -> monitor.waitingNow() == 1);
                    assertThat(held.isValid()).isTrue();
                }
                assertThat(thread.get(20, TimeUnit.SECONDS)).startsWith("parallel-");
            }
        });
    }

    @Test
    void pipelinesSideBySideExcludeEachOtherFromOtherLocksAndEnterThatAroundAgain() {
        with((locks, context) -> {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            Mono<Long> work = Mono.delay(Duration.ofMillis(5))
                    .doFirst(() -> most.accumulateAndGet(inside.incrementAndGet(), Math::max))
                    .doOnTerminate(inside::decrementAndGet);
            Mono<Long> item = work.transform(ReactiveLocks.locked(locks, LockRequest.write("item")));
            Mono<Long> again = Mono.just(1L).transform(ReactiveLocks.locked(locks, REQUEST));
            Flux<Long> batch = Flux.range(0, 8)
                    .flatMap(i -> item)
                    .concatWith(again)
                    .transform(ReactiveLocks.locked(locks, REQUEST));
            StepVerifier.create(batch).expectNextCount(9).expectComplete().verify(PATIENCE);
            assertThat(most).hasValue(1);
        });
    }

    @Test
    void aPipelineThatOutlivesItsLockDoesNotEnterItAgain() {
        with((locks, context) -> {
            Mono<ContextView> contextOfLocked = Mono.deferContextual(Mono::just)
                    .map(view -> (ContextView) view)
                    .transform(ReactiveLocks.locked(locks, REQUEST));
            ContextView after = contextOfLocked.block(PATIENCE);
            Sinks.One<String> source = Sinks.one();
            Mono<String> first = source.asMono().transform(ReactiveLocks.locked(locks, REQUEST));
            Mono<String> second = Mono.just("second").transform(ReactiveLocks.locked(locks, REQUEST));
            CompletableFuture<String> one = first.contextWrite(after).toFuture();
            CompletableFuture<String> other = second.contextWrite(after).toFuture();
            ComputeNodeMonitor monitor = context.getBean(ComputeNodeMonitor.class);
            await().atMost(PATIENCE).until(() -> monitor.waitingNow() == 1);
            assertThat(other).isNotDone();
            source.tryEmitValue("first");
            assertThat(one).succeedsWithin(PATIENCE);
            assertThat(other).succeedsWithin(PATIENCE);
        });
    }

    @Test
    void aRequestForALockThatIsHeldAndForAnotherIsRefused() {
        with((locks, context) -> {
            LockRequest both = REQUEST.andWrite("order:43");
            StepVerifier.create(Mono.just(1)
                            .transform(ReactiveLocks.locked(locks, both))
                            .transform(ReactiveLocks.locked(locks, REQUEST)))
                    .expectErrorMatches(failure -> failure instanceof IllegalStateException
                            && failure.getMessage().contains("'order:43'"))
                    .verify(PATIENCE);
            assertThat(isFree(locks)).isTrue();
        });
    }

    @Test
    void aLockThatIsGrantedAfterTheCancellingIsReleased() {
        CompletableFuture<LockHandle> granted = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };
        DistributedReadWriteLock locks = mock(DistributedReadWriteLock.class);
        when(locks.acquireAsync(any(), any())).thenReturn(granted);
        LockHandle handle = mock(LockHandle.class);
        Mono.just("never")
                .transform(ReactiveLocks.locked(locks, REQUEST))
                .subscribe()
                .dispose();
        granted.complete(handle);
        verify(handle).close();
    }

    @Test
    void aPipelineThatIsNotGrantedInTimeDoesNotRun() {
        with((locks, context) -> {
            AtomicInteger runs = new AtomicInteger();
            try (LockHandle held = locks.acquire(REQUEST, LockOwner.named("another owner"))) {
                StepVerifier.create(Mono.fromCallable(runs::incrementAndGet)
                                .transform(ReactiveLocks.locked(locks, REQUEST.waitTime(Duration.ofMillis(20)))))
                        .expectError(LockNotGrantedException.class)
                        .verify(PATIENCE);
                assertThat(held.isValid()).isTrue();
            }
            assertThat(runs).hasValue(0);
        });
    }

    @Test
    void aCancelledSubscriptionWithdrawsOrReleases() {
        with((locks, context) -> {
            ComputeNodeMonitor monitor = context.getBean(ComputeNodeMonitor.class);
            try (LockHandle held = locks.acquire(REQUEST, LockOwner.named("another owner"))) {
                Disposable waiting = Mono.just("never")
                        .transform(ReactiveLocks.locked(locks, REQUEST))
                        .subscribe();
                await().atMost(PATIENCE).until(() -> monitor.waitingNow() == 1);
                waiting.dispose();
                await().atMost(PATIENCE).until(() -> monitor.waitingNow() == 0);
                assertThat(held.isValid()).isTrue();
            }
            for (Publisher<Object> source : List.of(Mono.never(), Flux.never())) {
                Function<Publisher<Object>, Publisher<Object>> locked = ReactiveLocks.locked(locks, REQUEST);
                Disposable running = Flux.from(locked.apply(source)).subscribe();
                await().atMost(PATIENCE).until(() -> monitor.heldNow() == 1);
                running.dispose();
                await().atMost(PATIENCE).until(() -> monitor.heldNow() == 0);
                assertThat(isFree(locks)).isTrue();
            }
        });
    }

    @Test
    void aPipelineInsideOfAnotherHasTheSameOwner() {
        with((locks, context) -> {
            Mono<String> inner = Mono.just("inner").transform(ReactiveLocks.locked(locks, REQUEST));
            Mono<String> outer = inner.transform(ReactiveLocks.locked(locks, REQUEST));
            assertThat(outer.block(PATIENCE)).isEqualTo("inner");
            assertThat(isFree(locks)).isTrue();
        });
    }

    @Test
    void aLossIsAnErrorInPlaceOfTheEnd() {
        with((locks, context) -> {
            LockRequest bounded = REQUEST.leaseTime(Duration.ofMillis(50));
            StepVerifier.create(Flux.just("one", "two")
                            .delayElements(Duration.ofMillis(200))
                            .transform(ReactiveLocks.locked(locks, bounded)))
                    .expectNext("one", "two")
                    .expectError(LockLostException.class)
                    .verify(PATIENCE);
            StepVerifier.create(Mono.delay(Duration.ofMillis(200)).transform(ReactiveLocks.locked(locks, bounded)))
                    .expectError(LockLostException.class)
                    .verify(PATIENCE);
            StepVerifier.create(
                            Mono.delay(Duration.ofMillis(200)).then().transform(ReactiveLocks.locked(locks, bounded)))
                    .expectError(LockLostException.class)
                    .verify(PATIENCE);
        });
    }
}
