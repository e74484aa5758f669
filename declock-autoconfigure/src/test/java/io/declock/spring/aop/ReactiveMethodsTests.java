// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeMonitor;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.DecLockedMisuseException;
import io.declock.spring.OnLost;
import io.declock.spring.reactive.ReactiveDecLockContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Methods that return a publisher hold the lock from subscription to termination or cancellation. */
class ReactiveMethodsTests extends LastingMethodsContract<ReactiveMethodsTests.Pipes> {
    ReactiveMethodsTests() {
        super(Pipes.class, Nesting.class);
    }

    @Override
    Runnable begin(Pipes pipes) {
        return pipes.mono(1).subscribe()::dispose;
    }

    @Test
    void nothingIsLockedOrRunBeforeTheSubscription() {
        run((context, pipes) -> {
            Mono<String> mono = pipes.mono(1);
            assertThat(held(context)).isZero();
            assertThat(CALLS).isEmpty();
            StepVerifier.create(mono).expectNext("1:1").verifyComplete();
            assertThat(held(context)).isZero();
        });
    }

    @Test
    void eachSubscriptionLocksAnew() {
        run((context, pipes) -> {
            Mono<Long> token = pipes.token(1);
            long first = token.block();
            assertThat(token.block()).isGreaterThan(first);
        });
    }

    @Test
    void aFluxHoldsTheLockUntilItsEnd() {
        run((context, pipes) -> {
            StepVerifier.create(pipes.flux(2), 0)
                    .thenRequest(2)
                    .expectNext("2:1", "2:1")
                    .then(() -> assertThat(held(context)).isEqualTo(1))
                    .thenRequest(10)
                    .expectNext("2:1")
                    .verifyComplete();
            awaitHeld(context, 0);
        });
    }

    @Test
    void theLockIsReleasedOnErrorsAndWhenTheMethodThrows() {
        run((context, pipes) -> {
            StepVerifier.create(pipes.failing(1)).verifyErrorMessage("in the pipeline");
            StepVerifier.create(pipes.throwing(1)).verifyErrorMessage("in the method");
            assertThat(held(context)).isZero();
        });
    }

    @Test
    void cancellingReleases() {
        run((context, pipes) -> {
            Disposable running = pipes.never(1).subscribe();
            awaitHeld(context, 1);
            running.dispose();
            awaitHeld(context, 0);
            Disposable endless = pipes.endless(1).subscribe();
            awaitHeld(context, 1);
            endless.dispose();
            awaitHeld(context, 0);
        });
    }

    @Test
    void waitingBlocksNoThreadAndTheMethodRunsOnReactorsScheduler() {
        run((context, pipes) -> {
            LockHandle other = heldByOther(context);
            List<String> results = Collections.synchronizedList(new ArrayList<>());
            pipes.mono(1).subscribe(results::add);
            assertThat(results).isEmpty();
            other.close();
            await().until(() -> results.size() == 1);
            assertThat(CALLS).allMatch(name -> name.startsWith("parallel"));
        });
    }

    @Test
    void nestedMethodsOfOnePipelineShareItsOwner() {
        run((context, pipes) -> StepVerifier.create(
                        context.getBean(Nesting.class).both(3))
                .expectNext("3:1")
                .verifyComplete());
    }

    @Test
    void aLockLostMeanwhileIsAnErrorUnlessItIsOnlyLogged() {
        run((context, pipes) -> {
            StepVerifier.create(pipes.limited(1)).verifyError(LockLostException.class);
            StepVerifier.create(pipes.limitedFlux(1)).expectNext("a").verifyError(LockLostException.class);
            StepVerifier.create(pipes.limitedAndEmpty(1)).verifyError(LockLostException.class);
            StepVerifier.create(pipes.limitedAndLogged(1)).expectNext("late").verifyComplete();
        });
    }

    @Test
    void otherReactiveTypesAreLockedToo() {
        run((context, pipes) -> {
            StepVerifier.create(pipes.publisher(1)).expectNext("a").verifyComplete();
            StepVerifier.create(JdkFlowAdapter.flowPublisherToFlux(pipes.flow(1)))
                    .expectNext("true")
                    .verifyComplete();
        });
    }

    @Test
    void aKeyThatCannotBeEvaluatedIsAnError() {
        run((context, pipes) -> StepVerifier.create(pipes.keyed(null))
                .expectErrorSatisfies(failure -> assertThat(failure)
                        .isInstanceOf(DecLockedMisuseException.class)
                        .hasMessageContaining("#key"))
                .verify());
    }

    @Test
    void outsideOfALockedPipelineThereIsNoToken() {
        StepVerifier.create(ReactiveDecLockContext.currentToken()).verifyError(IllegalStateException.class);
    }

    static class Nesting {
        private final Pipes pipes;

        Nesting(Pipes pipes) {
            this.pipes = pipes;
        }

        @DecLocked(name = "work", key = "#id", waitTime = "1s")
        public Mono<String> both(int id) {
            return Mono.delay(Duration.ofMillis(10)).then(pipes.mono(id));
        }
    }

    static class Pipes {
        private final ComputeNodeMonitor monitor;

        Pipes(ComputeNodeMonitor monitor) {
            this.monitor = monitor;
        }

        private String state(int id) {
            return id + ":" + monitor.heldNow();
        }

        @DecLocked(name = "work", key = "#id")
        public Mono<String> mono(int id) {
            CALLS.add(Thread.currentThread().getName());
            assertThat(DecLockContext.currentToken()).isPositive();
            return Mono.fromCallable(() -> state(id));
        }

        @DecLocked(name = "work", key = "#id")
        public Mono<Long> token(int id) {
            return Mono.delay(Duration.ofMillis(1)).then(ReactiveDecLockContext.currentToken());
        }

        @DecLocked(name = "work", key = "#id")
        public Flux<String> flux(int id) {
            return Flux.range(0, 3).map(i -> state(id));
        }

        @DecLocked(name = "work", key = "#id")
        public Mono<String> failing(int id) {
            return Mono.error(new IllegalStateException("in the pipeline"));
        }

        @DecLocked(name = "work", key = "#id")
        public Flux<String> throwing(int id) {
            throw new IllegalStateException("in the method");
        }

        @DecLocked(name = "work", key = "#id")
        public Mono<String> never(int id) {
            return Mono.never();
        }

        @DecLocked(name = "work", key = "#id")
        public Flux<Long> endless(int id) {
            return Flux.interval(Duration.ofMillis(1)).onBackpressureDrop();
        }

        @DecLocked(name = "work", key = "#id", leaseTime = "50ms")
        public Mono<String> limited(int id) {
            return Mono.delay(Duration.ofMillis(300)).thenReturn("late");
        }

        @DecLocked(name = "work", key = "#id", leaseTime = "50ms")
        public Flux<String> limitedFlux(int id) {
            return Flux.just("a").concatWith(Mono.delay(Duration.ofMillis(300)).then(Mono.empty()));
        }

        @DecLocked(name = "work", key = "#id", leaseTime = "50ms")
        public Mono<Void> limitedAndEmpty(int id) {
            return Mono.delay(Duration.ofMillis(300)).then();
        }

        @DecLocked(name = "work", key = "#id", leaseTime = "50ms", onLost = OnLost.LOG)
        public Mono<String> limitedAndLogged(int id) {
            return Mono.delay(Duration.ofMillis(300)).thenReturn("late");
        }

        @DecLocked(name = "work", key = "#id")
        public Publisher<String> publisher(int id) {
            return Flux.just("a");
        }

        @DecLocked(name = "work", key = "#id")
        public Flow.Publisher<String> flow(int id) {
            return JdkFlowAdapter.publisherToFlowPublisher(
                    Mono.fromCallable(() -> String.valueOf(monitor.heldNow() == 1)));
        }

        @DecLocked(name = "work", key = "#key")
        public Mono<String> keyed(String key) {
            return Mono.just("ran");
        }
    }
}
