// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On which thread stages are completed. */
@Timeout(60)
class CompletionsTest {
    /** More than a thread's stack can hold calls of any kind. */
    private static final int MANY = 50_000;

    private static final String POOL = "-declock-callback";

    private LockRig rig;
    private ComputeNode node;

    @AfterEach
    void stop() {
        rig.close();
    }

    private void start(Executor completions) throws Exception {
        rig = LockRig.inProcess();
        node = rig.join(builder -> builder.completions(completions));
    }

    private CompletableFuture<LockHandle> ask(LockRequest request, int owner) {
        return node.acquireAsync(request.waitTime(Duration.ofSeconds(50)), LockOwner.named("owner-" + owner))
                .toCompletableFuture();
    }

    private CompletableFuture<LockHandle> write(int owner) {
        return ask(LockRequest.write("x"), owner);
    }

    @Test
    void whatIsDecidedWhileTheCallerAsksNeedsNoOtherThread() throws Exception {
        start(null);
        for (int i = 0; i < 200; i++) {
            CompletableFuture<LockHandle> stage = write(i);
            assertThat(stage).isDone();
            stage.join().close();
        }
        LockHandle held = write(-1).get(30, SECONDS);
        CompletableFuture<LockHandle> refused = node.acquireAsync(
                        LockRequest.write("x").waitTime(Duration.ZERO), LockOwner.named("other"))
                .toCompletableFuture();
        assertThat(refused.handle((handle, failure) -> failure).get(30, SECONDS))
                .isNotNull();
        held.close();
    }

    @Test
    void aLoopOfStagesThatAreCompleteDoesNotUseUpTheStack() throws Exception {
        start(null);
        loop();
    }

    @Test
    void aLoopOfStagesDoesNotUseUpTheStackWhereTheExecutorUsesTheThread() throws Exception {
        start(Runnable::run);
        loop();
    }

    private void loop() throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        again(MANY, done);
        done.get(50, SECONDS);
    }

    private void again(int left, CompletableFuture<Void> done) {
        if (left == 0) {
            done.complete(null);
            return;
        }
        write(left)
                .thenAccept(handle -> {
                    handle.close();
                    again(left - 1, done);
                })
                .exceptionally(failure -> {
                    done.completeExceptionally(failure);
                    return null;
                });
    }

    /** An action that is added to a complete stage would run in the caller's deep stack. A machine with other work makes the wait longer, never shorter. */
    @Test
    void aCallerWithADeepStackHasTheTimeToAddAnActionToItsStage() throws Exception {
        start(null);
        Executor later = NodeRuntime.later(Runnable::run);
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Long> ran = new CompletableFuture<>();
            long asked = System.nanoTime();
            later.execute(() -> ran.complete(System.nanoTime()));
            assertThat(ran.get(30, SECONDS) - asked).isGreaterThanOrEqualTo(MICROSECONDS.toNanos(200));
        }
    }

    @Test
    void aGrantIsToldOnAThreadOfThePool() throws Exception {
        start(null);
        LockHandle held = write(0).get(30, SECONDS);
        CompletableFuture<String> told = write(1).thenApply(handle -> {
            handle.close();
            return Thread.currentThread().getName();
        });
        held.close();
        assertThat(told.get(30, SECONDS)).endsWith(POOL);
    }

    /** Both are granted by one release, and each waits for the other one's action. */
    @Test
    void actionsOfThePoolMayWaitForOneAnother() throws Exception {
        start(null);
        LockHandle held = write(0).get(30, SECONDS);
        CyclicBarrier both = new CyclicBarrier(2);
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            readers.add(ask(LockRequest.read("x"), i).thenAccept(handle -> {
                try {
                    both.await(20, SECONDS);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                } finally {
                    handle.close();
                }
            }));
        }
        held.close();
        for (CompletableFuture<Void> reader : readers) {
            reader.get(30, SECONDS);
        }
    }

    /** Each action releases the lock, which grants it to the next. */
    @Test
    void manyGrantsInARowAreToldByTheThreadThatBringsTheFirst() throws Exception {
        start(Runnable::run);
        LockHandle held = write(-1).get(30, SECONDS);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(write(i).thenAccept(handle -> {
                threads.add(Thread.currentThread().getName());
                handle.close();
            }));
        }
        held.close();
        for (CompletableFuture<Void> each : all) {
            each.get(30, SECONDS);
        }
        assertThat(threads).containsExactly(Thread.currentThread().getName());
    }

    @Test
    void anExecutorThatRefusesLeavesNobodyWaiting() throws Exception {
        start(task -> {
            throw new RejectedExecutionException("full");
        });
        LockHandle held = write(0).get(30, SECONDS);
        CompletableFuture<LockHandle> next = write(1);
        held.close();
        next.get(30, SECONDS).close();
    }
}
