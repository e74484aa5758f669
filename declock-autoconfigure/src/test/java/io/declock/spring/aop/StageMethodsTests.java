// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.spring.Contexts;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.OnLost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;

/** Methods that return a stage hold the lock until the stage has terminated, whichever thread does that. */
class StageMethodsTests {
    private static final LockOwner OTHER = LockOwner.named("other");

    @Test
    void theLockIsHeldUntilTheStageTerminates() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.work(1, work);
            await().until(() -> Jobs.CALLS.get() == 1);
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
            assertThat(result)
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .withCauseInstanceOf(IllegalStateException.class);
            assertThat(held(context)).isZero();
        });
    }

    @Test
    void theLockIsReleasedWhenTheMethodThrows() {
        run((context, jobs) -> {
            assertThat(jobs.throwing(1).toCompletableFuture())
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .withCauseInstanceOf(IllegalStateException.class);
            assertThat(held(context)).isZero();
        });
    }

    @Test
    void theCallerIsNotBlockedWhileTheLockIsBusy() {
        run((context, jobs) -> {
            LockHandle other = lock(context).acquire(LockRequest.write("job:1"), OTHER);
            CompletableFuture<String> work = CompletableFuture.completedFuture("late");
            CompletableFuture<String> result = jobs.work(1, work);
            assertThat(result).isNotDone();
            assertThat(Jobs.CALLS).hasValue(0);
            other.close();
            assertThat(result).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("late");
            assertThat(Jobs.THREADS).noneMatch(name -> name.contains("declock"));
        });
    }

    @Test
    void cancellingWhileWaitingWithdrawsTheRequest() {
        run((context, jobs) -> {
            LockHandle other = lock(context).acquire(LockRequest.write("job:1"), OTHER);
            CompletableFuture<String> result = jobs.work(1, new CompletableFuture<>());
            await().until(() -> context.getBean(ComputeNodeMonitor.class).waitingNow() == 1);
            result.cancel(true);
            await().until(() -> context.getBean(ComputeNodeMonitor.class).waitingNow() == 0);
            other.close();
            lock(context).acquire(LockRequest.write("job:1"), OTHER).close();
            assertThat(Jobs.CALLS).hasValue(0);
        });
    }

    @Test
    void cancellingWhileRunningCancelsTheStageAndReleases() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.work(1, work);
            await().until(() -> Jobs.CALLS.get() == 1);
            result.cancel(true);
            await().until(work::isCancelled);
            await().until(() -> held(context) == 0);
        });
    }

    @Test
    void cancellingWorkThatCannotBeCancelledKeepsTheLockUntilItEnds() {
        run((context, jobs) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.uncancellable(1, work);
            await().until(() -> Jobs.CALLS.get() == 1);
            result.cancel(true);
            assertThat(held(context)).isEqualTo(1);
            work.complete("done after all");
            await().until(() -> held(context) == 0);
        });
    }

    @Test
    void aMethodThatIsCancelledBetweenItsGrantAndItsStartIsNotRun() {
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        Contexts.locks()
                .withBean(Jobs.class)
                .withBean("applicationTaskExecutor", Executor.class, () -> tasks::add)
                .run(context -> {
                    LockHandle other = lock(context).acquire(LockRequest.write("job:1"), OTHER);
                    CompletableFuture<String> result =
                            context.getBean(Jobs.class).work(1, CompletableFuture.completedFuture("x"));
                    other.close();
                    Runnable start = tasks.poll(5, TimeUnit.SECONDS);
                    assertThat(held(context)).isEqualTo(1);
                    result.cancel(true);
                    start.run();
                    assertThat(Jobs.CALLS).hasValue(0);
                    assertThat(held(context)).isZero();
                });
    }

    @Test
    void cancellationsThatRaceWithGrantsLeaveNothingHeld() {
        run((context, jobs) -> {
            for (int i = 0; i < 300; i++) {
                LockHandle other = lock(context).acquire(LockRequest.write("job:1"), OTHER);
                CompletableFuture<String> result = jobs.work(1, CompletableFuture.completedFuture("x"));
                CompletableFuture<Void> cancelling = CompletableFuture.runAsync(() -> result.cancel(true));
                other.close();
                cancelling.join();
            }
            await().atMost(10, TimeUnit.SECONDS).until(() -> held(context) == 0);
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
    void aLockLostMeanwhileFailsTheStageUnlessItIsOnlyLogged() {
        run((context, jobs) -> {
            CompletableFuture<String> strict = new CompletableFuture<>();
            CompletableFuture<String> result = jobs.limited(1, strict);
            CompletableFuture<String> lenient = new CompletableFuture<>();
            CompletableFuture<String> logged = jobs.limitedAndLogged(2, lenient);
            Thread.sleep(400);
            strict.complete("too late");
            lenient.complete("too late");
            assertThat(result)
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .withCauseInstanceOf(LockLostException.class);
            assertThat(logged).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("too late");
        });
    }

    private static long held(ApplicationContext context) {
        return context.getBean(ComputeNodeMonitor.class).heldNow();
    }

    private static DistributedReadWriteLock lock(ApplicationContext context) {
        return context.getBean(DistributedReadWriteLock.class);
    }

    private static void run(Use use) {
        Contexts.locks()
                .withBean(Jobs.class)
                .withBean(Nesting.class)
                .run(context -> use.use(context, context.getBean(Jobs.class)));
    }

    private interface Use {
        void use(ApplicationContext context, Jobs jobs) throws Exception;
    }

    static class Nesting {
        private final Jobs jobs;

        Nesting(Jobs jobs) {
            this.jobs = jobs;
        }

        @DecLocked(name = "job", key = "#id", waitTime = "1s")
        public CompletableFuture<String> both(int id) {
            return jobs.work(id, CompletableFuture.completedFuture("inner"));
        }
    }

    static class Jobs {
        Jobs() {
            CALLS.set(0);
            THREADS.clear();
        }

        private static final AtomicInteger CALLS = new AtomicInteger();
        private static final List<String> THREADS = Collections.synchronizedList(new ArrayList<>());

        @DecLocked(name = "job", key = "#id")
        public CompletableFuture<String> work(int id, CompletableFuture<String> work) {
            CALLS.incrementAndGet();
            THREADS.add(Thread.currentThread().getName());
            assertThat(DecLockContext.currentToken()).isPositive();
            return work;
        }

        @DecLocked(name = "job", key = "#id")
        public CompletableFuture<String> uncancellable(int id, CompletableFuture<String> work) {
            CALLS.incrementAndGet();
            return new Uncancellable(work);
        }

        @DecLocked(name = "job", key = "#id")
        public CompletionStage<String> throwing(int id) {
            throw new IllegalStateException("broken");
        }

        @DecLocked(name = "job", key = "#id", leaseTime = "100ms")
        public CompletableFuture<String> limited(int id, CompletableFuture<String> work) {
            return work;
        }

        @DecLocked(name = "job", key = "#id", leaseTime = "100ms", onLost = OnLost.LOG)
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
