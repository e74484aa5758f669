// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.spring.Contexts;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.OnLost;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Methods that return a stage hold the lock until the stage has terminated, whichever thread does that. */
class StageMethodsTests extends LastingMethodsContract<StageMethodsTests.Jobs> {
    StageMethodsTests() {
        super(Jobs.class, Nesting.class);
    }

    @Override
    Runnable begin(Jobs jobs) {
        CompletableFuture<String> result = jobs.work(1, CompletableFuture.completedFuture("x"));
        return () -> result.cancel(true);
    }

    @Test
    void theLockIsHeldUntilTheStageTerminates() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.work(1, work);
            await().until(() -> CALLS.size() == 1);
            assertThat(held(context)).isEqualTo(1);
            CompletableFuture.runAsync(() -> work.complete("done"));
            assertThat(result).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("done");
            assertThat(held(context)).isZero();
        });
    }

    @Test
    void theLockIsReleasedWhenTheStageFails() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.work(1, work);
            work.completeExceptionally(new IllegalStateException("broken"));
            assertFails(result, IllegalStateException.class);
            assertThat(held(context)).isZero();
        });
    }

    @Test
    void theLockIsReleasedWhenTheMethodThrows() {
        run((context, jobs) -> {
            assertFails(jobs.throwing(1), IllegalStateException.class);
            assertThat(held(context)).isZero();
        });
    }

    @Test
    void theCallerIsNotBlockedWhileTheLockIsBusy() {
        run((context, jobs) -> {
            LockHandle other = heldByOther(context);
            CompletableFuture<String> work = CompletableFuture.completedFuture("late");
            CompletableFuture<String> result = jobs.work(1, work);
            assertThat(result).isNotDone();
            assertThat(CALLS).isEmpty();
            other.close();
            assertThat(result).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("late");
            assertThat(CALLS).noneMatch(name -> name.contains("declock"));
        });
    }

    @Test
    void cancellingWhileRunningCancelsTheStageAndReleases() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.work(1, work);
            await().until(() -> CALLS.size() == 1);
            result.cancel(true);
            await().until(work::isCancelled);
            awaitHeld(context, 0);
        });
    }

    @Test
    void cancellingWorkThatCannotBeCancelledKeepsTheLockUntilItEnds() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.uncancellable(1, work);
            await().until(() -> CALLS.size() == 1);
            result.cancel(true);
            assertThat(held(context)).isEqualTo(1);
            work.complete("done after all");
            awaitHeld(context, 0);
        });
    }

    @Test
    void aMethodThatIsCancelledBetweenItsGrantAndItsStartIsNotRun() {
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        Contexts.locks()
                .withBean(Jobs.class)
                .withBean("applicationTaskExecutor", Executor.class, () -> tasks::add)
                .run(context -> {
                    LockHandle other = heldByOther(context);
                    CompletableFuture<String> result =
                            context.getBean(Jobs.class).work(1, CompletableFuture.completedFuture("x"));
                    other.close();
                    Runnable start = tasks.poll(5, TimeUnit.SECONDS);
                    assertThat(held(context)).isEqualTo(1);
                    result.cancel(true);
                    start.run();
                    assertThat(CALLS).isEmpty();
                    assertThat(held(context)).isZero();
                });
    }

    @Test
    void nestedMethodsOfOneStageShareItsOwner() {
        run((context, jobs) -> {
            CompletableFuture<String> result = context.getBean(Nesting.class).both(5);
            assertThat(result).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("inner");
        });
    }

    @Test
    void whatFollowsAFailedMethodRunsWithoutItsLock() {
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        Contexts.locks()
                .withBean(Jobs.class)
                .withBean("applicationTaskExecutor", Executor.class, () -> tasks::add)
                .run(context -> {
                    LockHandle other = heldByOther(context);
                    CompletionStage<Boolean> locked = context.getBean(Jobs.class)
                            .throwing(1)
                            .handle((value, failure) -> DecLockContext.isLocked());
                    other.close();
                    Runnable start = tasks.poll(5, TimeUnit.SECONDS);
                    start.run();
                    assertThat(locked).isCompletedWithValue(false);
                });
    }

    @Test
    void stagesSideBySideExcludeEachOtherFromOtherLocks() {
        run((context, jobs) -> {
            CompletableFuture<String> one = new CompletableFuture<>();
            CompletableFuture<String> other = CompletableFuture.completedFuture("x");
            CompletableFuture<List<CompletableFuture<String>>> both = new CompletableFuture<>();
            CompletableFuture<String> outer = context.getBean(Nesting.class).beside(5, () -> {
                both.complete(List.of(jobs.work(6, one), jobs.work(6, other)));
                return one;
            });
            List<CompletableFuture<String>> inner = both.get(5, TimeUnit.SECONDS);
            assertThat(inner.get(1)).isNotDone();
            one.complete("done");
            assertThat(inner.get(1)).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("x");
            assertThat(outer).succeedsWithin(Duration.ofSeconds(5));
        });
    }

    @Test
    void aLockLostMeanwhileFailsTheStageUnlessItIsOnlyLogged() {
        run((context, jobs) -> {
            CompletableFuture<String> strict = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.limited(1, strict);
            CompletableFuture<String> lenient = new CompletableFuture<>();
            CompletableFuture<String> logged = jobs.limitedAndLogged(2, lenient);
            Thread.sleep(400);
            strict.complete("too late");
            lenient.complete("too late");
            assertFails(result, LockLostException.class);
            assertThat(logged).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("too late");
        });
    }

    private static void assertFails(CompletionStage<String> stage, Class<? extends Throwable> cause) {
        assertThat(stage.toCompletableFuture())
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .withCauseInstanceOf(cause);
    }

    static class Nesting {
        private final Jobs jobs;

        Nesting(Jobs jobs) {
            this.jobs = jobs;
        }

        @DecLocked(name = "work", key = "#id", waitTime = "1s")
        public CompletableFuture<String> both(int id) {
            return jobs.work(id, CompletableFuture.completedFuture("inner"));
        }

        @DecLocked(name = "work", key = "#id", waitTime = "1s")
        public CompletableFuture<String> beside(int id, Supplier<CompletableFuture<String>> body) {
            return body.get();
        }
    }

    static class Jobs {
        @DecLocked(name = "work", key = "#id")
        public CompletableFuture<String> work(int id, CompletableFuture<String> work) {
            CALLS.add(Thread.currentThread().getName());
            assertThat(DecLockContext.currentToken()).isPositive();
            return work;
        }

        @DecLocked(name = "work", key = "#id")
        public CompletableFuture<String> uncancellable(int id, CompletableFuture<String> work) {
            CALLS.add(Thread.currentThread().getName());
            return new Uncancellable(work);
        }

        @DecLocked(name = "work", key = "#id")
        public CompletionStage<String> throwing(int id) {
            throw new IllegalStateException("broken");
        }

        @DecLocked(name = "work", key = "#id", leaseTime = "100ms")
        public CompletableFuture<String> limited(int id, CompletableFuture<String> work) {
            return work;
        }

        @DecLocked(name = "work", key = "#id", leaseTime = "100ms", onLost = OnLost.LOG)
        public CompletableFuture<String> limitedAndLogged(int id, CompletableFuture<String> work) {
            return work;
        }
    }

    /** Work that continues even if it is cancelled. */
    static class Uncancellable extends CompletableFuture<String> {
        Uncancellable(CompletableFuture<String> work) {
            work.whenComplete((value, failure) -> complete(value));
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }
}
