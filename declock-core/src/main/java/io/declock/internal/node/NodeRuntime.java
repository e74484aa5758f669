// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.Objects.requireNonNull;

import io.declock.internal.monitor.Isolated;
import io.declock.internal.time.Clock;
import io.declock.internal.time.RandomSource;
import io.declock.internal.time.TimerService;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The threads, clock and randomness of a compute node: one timer thread, and pools for callbacks into user code. Thread-safe. */
final class NodeRuntime implements AutoCloseable {
    /**
     * Thousands of waits may end at the same moment: by a time-out, or with a session. A thread for each would take more memory than the
     * rest of the process, so callbacks beyond this number wait for a free thread. Loss listeners have threads of their own, so that
     * long-running callbacks of grants do not delay them.
     */
    private static final int MAX_CALLBACK_THREADS = 64;

    private static final int MAX_LOSS_THREADS = 16;
    /** Within that time a caller mostly adds an action to the stage that it gets. To a stage that is complete by then it would be added in vain: the action runs in the caller's stack. */
    private static final int UNWIND_MICROS = 200;

    private static final int IDLE_SECONDS = 10;

    private final String name;
    private final Clock clock;
    private final TimerService timer;
    private final RandomSource random;
    private final long processId;
    private final @Nullable TimerThread timerThread;
    private final @Nullable ExecutorService callbackPool;
    private final @Nullable ExecutorService lossPool;
    private final Completions completions;
    private final Executor losses;
    private final Waiting waiting;

    /**
     * Makes the runtime. Null stands for the clock, timer, randomness and threads of this process.
     *
     * @param completions completes stages in place of a pool of threads
     * @param executor runs every callback in place of pools of threads
     * @param waiting lets callers wait in place of parking their threads
     */
    NodeRuntime(
            String name,
            @Nullable Clock clock,
            @Nullable TimerService timer,
            @Nullable RandomSource random,
            @Nullable Executor completions,
            @Nullable Executor executor,
            @Nullable Waiting waiting) {
        this.name = name;
        this.clock = clock == null ? System::nanoTime : clock;
        this.random = random == null ? () -> ThreadLocalRandom.current().nextLong() : random;
        this.processId = random == null ? new SecureRandom().nextLong() : random.nextLong();
        this.callbackPool =
                executor == null && completions == null ? pool(MAX_CALLBACK_THREADS, name + "-declock-callback") : null;
        this.completions = completions(completions, executor);
        this.lossPool = executor == null ? pool(MAX_LOSS_THREADS, name + "-declock-loss") : null;
        this.losses = lossPool == null ? requireNonNull(executor) : guardedOn(lossPool);
        this.waiting = waiting == null ? new Signal() : waiting;
        if (timer == null) {
            this.timerThread = new TimerThread(name + "-declock-timer");
            this.timer = timerThread;
        } else {
            this.timerThread = null;
            this.timer = timer;
        }
    }

    private Completions completions(@Nullable Executor own, @Nullable Executor executor) {
        if (own != null) {
            // It may use the calling thread.
            return new Completions(guardedOn(own), later(this::onOneMoreThread));
        }
        Executor pool = callbackPool == null ? requireNonNull(executor) : guardedOn(callbackPool);
        return new Completions(pool, callbackPool == null ? pool : later(pool));
    }

    /** Returns what has an executor run something after the time in which a caller adds an action to its stage. */
    static Executor later(Executor executor) {
        // Not by the node's timer: it forgets its tasks when the node closes, and each stage has to be completed.
        return CompletableFuture.delayedExecutor(UNWIND_MICROS, TimeUnit.MICROSECONDS, executor);
    }

    private static ExecutorService pool(int threads, String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> TimerThread.daemon(task, name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Converts to nanoseconds; a duration whose nanoseconds do not fit into a {@code long} becomes 36,500 days. */
    static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return TimeUnit.DAYS.toNanos(36_500);
        }
    }

    Clock clock() {
        return clock;
    }

    TimerService timer() {
        return timer;
    }

    RandomSource random() {
        return random;
    }

    long processId() {
        return processId;
    }

    /** Completes stages, on which user code depends. */
    Completions completions() {
        return completions;
    }

    /** Runs loss listeners, which may block. */
    Executor losses() {
        return losses;
    }

    /** Lets callers wait for conditions. */
    Waiting waiting() {
        return waiting;
    }

    private Executor guardedOn(Executor pool) {
        return task -> execute(pool, task);
    }

    private void execute(Executor pool, Runnable task) {
        try {
            pool.execute(() -> Isolated.run("A callback", task));
        } catch (RejectedExecutionException e) {
            // The node was closed meanwhile, or the user's executor. One more thread is better than a wait that never
            // ends.
            onOneMoreThread(task);
        }
    }

    private void onOneMoreThread(Runnable task) {
        TimerThread.daemon(() -> Isolated.run("A callback", task), name + "-declock-late")
                .start();
    }

    @Override
    public void close() {
        if (timerThread != null) {
            timerThread.close();
        }
        if (callbackPool != null) {
            callbackPool.shutdown();
        }
        if (lossPool != null) {
            lossPool.shutdown();
        }
    }
}
