// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.declock.internal.node.ComputeNode;
import io.declock.internal.node.LockRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LockTemplateTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final LockOwner other = LockOwner.named("another owner");
    private LockRig rig;
    private ComputeNode locks;
    private LockTemplate template;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.inProcess();
        locks = rig.join();
        template = new LockTemplate(locks);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    private boolean isFree(String name) throws InterruptedException {
        try (LockHandle handle = locks.acquire(LockRequest.write(name).waitTime(Duration.ofSeconds(1)), other)) {
            return handle.isValid();
        } catch (LockNotGrantedException e) {
            return false;
        }
    }

    @Test
    void theLockIsHeldWhileTheCodeRunsAndFreeAfterwards() throws Exception {
        AtomicReference<LockHandle> seen = new AtomicReference<>();
        String result = template.execute("order", handle -> {
            seen.set(handle);
            assertThat(handle.isValid()).isTrue();
            assertThat(handle.fencingToken()).isPositive();
            return "shipped";
        });
        assertThat(result).isEqualTo("shipped");
        assertThat(seen.get().isValid()).isFalse();
        assertThat(isFree("order")).isTrue();
    }

    @Test
    void severalLocksAreAcquiredTogether() {
        try (LockHandle handle = template.acquire(List.of("b", "a", "b"))) {
            assertThat(handle.grants()).extracting(LockHandle.Grant::name).containsExactlyInAnyOrder("a", "b");
        }
        assertThatThrownBy(() -> template.acquire(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aHandleIsAcquiredWithoutACheckedException() throws Exception {
        try (LockHandle handle = template.acquire("order")) {
            assertThat(handle.isValid()).isTrue();
            assertThat(isFree("order")).isFalse();
        }
        assertThat(isFree("order")).isTrue();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> template.acquire("order")).isInstanceOf(LockInterruptedException.class);
        assertThatThrownBy(() -> template.tryAcquire(LockRequest.write("order").waitTime(PATIENCE)))
                .isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).as("its interrupt status").isTrue();
        assertThat(isFree("order")).isTrue();
    }

    @Test
    void aLockThatAnotherOwnerHasIsNullForATryAndTheCodeDoesNotRun() throws Exception {
        try (LockHandle elsewhere = locks.acquire(LockRequest.write("order"), other)) {
            assertThat(elsewhere.isValid()).isTrue();
            try (LockHandle handle = template.tryAcquire("order")) {
                assertThat(handle).isNull();
            }
            assertThat(template.tryRun("order", handle -> {
                        throw new AssertionError("it ran");
                    }))
                    .isFalse();
        }
        try (LockHandle handle = template.tryAcquire("order")) {
            assertThat(handle).isNotNull();
            assertThat(isFree("order")).isFalse();
        }
        AtomicBoolean valid = new AtomicBoolean();
        assertThat(template.tryRun("order", handle -> valid.set(handle.isValid())))
                .isTrue();
        assertThat(valid).isTrue();
        assertThat(isFree("order")).isTrue();
    }

    @Test
    void checkedExceptionsOfTheCodePassThroughAndTheLockIsFree() throws Exception {
        assertThatThrownBy(() -> template.run("order", handle -> {
                    throw new IOException("no paper");
                }))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("no paper");
        assertThat(isFree("order")).isTrue();
    }

    @Test
    void codeThatMayNotRunNowDoesNotRun() throws Exception {
        AtomicBoolean ran = new AtomicBoolean();
        try (LockHandle held = locks.acquire(LockRequest.write("report"), other)) {
            LockOutcome<String> outcome = template.tryExecute("report", handle -> {
                ran.set(true);
                return "done";
            });
            assertThat(ran).isFalse();
            assertThat(outcome.ran()).isFalse();
            assertThat(outcome.orElse("later")).isEqualTo("later");
            assertThat(outcome.orElseGet(() -> "much later")).isEqualTo("much later");
            assertThat(outcome.toOptional()).isEmpty();
            assertThatThrownBy(outcome::get)
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessageContaining("report");
            assertThatThrownBy(() -> outcome.orElseThrow(() -> new IOException("busy")))
                    .isExactlyInstanceOf(IOException.class);
            outcome.ifBusy(() -> ran.set(true));
            assertThat(ran).isTrue();
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void codeThatRanIsToldFromCodeThatDidNotByMoreThanItsResult() {
        LockOutcome<String> outcome = template.tryExecute("report", handle -> null);
        assertThat(outcome.ran()).isTrue();
        assertThat(outcome.get()).isNull();
        assertThat(outcome.toOptional()).isEqualTo(Optional.empty());
        assertThat(outcome).isNotEqualTo(LockOutcome.notRun("busy"));
    }

    @Test
    void severalNamesAreOneRequest() throws Exception {
        template.run(LockRequest.writeAll(List.of("b", "a", "b")), handle -> {
            assertThat(handle.grants()).extracting(grant -> grant.name()).containsExactlyInAnyOrder("a", "b");
        });
        assertThat(isFree("a") && isFree("b")).isTrue();
        assertThatThrownBy(() -> LockRequest.readAll(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLockThatIsNotGrantedInTimeIsAnException() throws Exception {
        try (LockHandle held = locks.acquire(LockRequest.write("order"), other)) {
            LockRequest brief = LockRequest.write("order").waitTime(Duration.ofMillis(20));
            assertThatThrownBy(() -> template.execute(brief, handle -> "never"))
                    .isInstanceOf(LockNotGrantedException.class);
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void anInterruptionIsAnUncheckedExceptionAndStaysSet() throws Exception {
        try (LockHandle held = locks.acquire(LockRequest.write("order"), other)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> template.execute("order", handle -> "never"))
                    .isInstanceOf(LockInterruptedException.class)
                    .hasMessageContaining("order");
            assertThat(Thread.interrupted()).isTrue();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> template.tryExecute("order", handle -> "never"))
                    .isInstanceOf(LockInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void aLockThatWasLostWhileTheCodeRanIsAnException() {
        LockRequest bounded = LockRequest.write("order").leaseTime(Duration.ofMillis(20));
        assertThatThrownBy(() -> template.execute(bounded, handle -> {
                    await().atMost(PATIENCE).until(() -> !handle.isValid());
                    return "too late";
                }))
                .isInstanceOf(LockLostException.class);
    }

    // ---------------------------------------------------------------- stages

    @Test
    void aStageHoldsTheLockUntilItTerminates() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<String> result = template.executeAsync(LockRequest.write("order"), handle -> {
            running.countDown();
            return work;
        });
        running.await();
        assertThat(locks.tryAcquire(LockRequest.write("order").waitTime(Duration.ZERO)))
                .isEmpty();
        work.complete("shipped");
        assertThat(result.get(10, SECONDS)).isEqualTo("shipped");
        assertThat(isFree("order")).isTrue();
    }

    @Test
    void aStageThatFailsReleasesAndFailsTheResult() throws Exception {
        CompletableFuture<String> result = template.executeAsync(
                LockRequest.write("order"), handle -> CompletableFuture.failedFuture(new IOException("no paper")));
        assertThatThrownBy(() -> result.get(10, SECONDS)).hasCauseExactlyInstanceOf(IOException.class);
        CompletableFuture<String> thrown = template.executeAsync(LockRequest.write("order"), handle -> {
            throw new IllegalStateException("no stage");
        });
        assertThatThrownBy(() -> thrown.get(10, SECONDS)).hasCauseExactlyInstanceOf(IllegalStateException.class);
        assertThat(isFree("order")).isTrue();
    }

    @Test
    void theFailureOfADependentStageComesOutOfItsWrapper() throws Exception {
        IOException noPaper = new IOException("no paper");
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<Throwable> failure = template.executeAsync(
                        LockRequest.write("order"), handle -> work.thenApply(String::trim))
                .handle((value, thrown) -> thrown);
        work.completeExceptionally(noPaper);
        assertThat(failure.get(10, SECONDS)).isSameAs(noPaper);
    }

    @Test
    void aLossIsSuppressedInTheFailureOfTheStage() {
        IOException noPaper = new IOException("no paper");
        LockRequest bounded = LockRequest.write("order").leaseTime(Duration.ofMillis(20));
        CompletableFuture<String> result = template.executeAsync(bounded, handle -> {
            CompletableFuture<String> late = new CompletableFuture<>();
            handle.onLost((lost, why) -> late.completeExceptionally(noPaper));
            return late.thenApply(String::trim);
        });
        assertThatThrownBy(() -> result.get(10, SECONDS)).hasCause(noPaper);
        assertThat(noPaper.getSuppressed()).hasExactlyElementsOfTypes(LockLostException.class);
    }

    @Test
    void aLockThatIsNotGrantedInTimeFailsTheResult() throws Exception {
        CompletableFuture<LockHandle> refusing = new CompletableFuture<>();
        DistributedReadWriteLock refused = mock(DistributedReadWriteLock.class);
        when(refused.acquireAsync(any(), any())).thenReturn(refusing.thenApply(handle -> handle));
        CompletableFuture<Throwable> failure = new LockTemplate(refused)
                .executeAsync(LockRequest.write("order"), handle -> CompletableFuture.completedFuture("never"))
                .handle((value, thrown) -> thrown);
        LockNotGrantedException late = new LockNotGrantedException("late");
        refusing.completeExceptionally(late);
        assertThat(failure.get(10, SECONDS)).isSameAs(late);
    }

    @Test
    void codeThatReturnsNoStageReleasesAndFailsTheResult() throws Exception {
        CompletableFuture<String> result = template.executeAsync(LockRequest.write("order"), handle -> null);
        assertThatThrownBy(() -> result.get(10, SECONDS))
                .hasCauseExactlyInstanceOf(NullPointerException.class)
                .hasMessageContaining("no stage");
        assertThat(isFree("order")).isTrue();
    }

    @Test
    void aLockThatIsGrantedAfterTheResultWasCancelledIsReleased() {
        CompletableFuture<LockHandle> granted = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };
        DistributedReadWriteLock granting = mock(DistributedReadWriteLock.class);
        when(granting.acquireAsync(any(), any())).thenReturn(granted);
        LockHandle handle = mock(LockHandle.class);
        AtomicBoolean ran = new AtomicBoolean();
        CompletableFuture<String> result = new LockTemplate(granting).executeAsync(LockRequest.write("order"), held -> {
            ran.set(true);
            return CompletableFuture.completedFuture("never");
        });
        result.cancel(false);
        granted.complete(handle);
        verify(handle).close();
        assertThat(ran).isFalse();
    }

    @Test
    void cancellingTheResultWithdrawsTheRequest() throws Exception {
        AtomicBoolean ran = new AtomicBoolean();
        try (LockHandle held = locks.acquire(LockRequest.write("order"), other)) {
            CompletableFuture<String> result = template.executeAsync(LockRequest.write("order"), handle -> {
                ran.set(true);
                return CompletableFuture.completedFuture("never");
            });
            assertThat(result).isNotDone();
            result.cancel(false);
            await().atMost(PATIENCE).until(() -> locks.monitor().waitingNow() == 0);
            assertThat(held.isValid()).isTrue();
        }
        assertThat(isFree("order")).isTrue();
        assertThat(ran).isFalse();
    }

    @Test
    void cancellingTheResultOfCodeThatRunsCancelsItsStageAndReleasesAfterIt() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<String> result = template.executeAsync(LockRequest.write("order"), handle -> {
            running.countDown();
            return work;
        });
        running.await();
        await().atMost(PATIENCE).until(() -> {
            result.cancel(false);
            return work.isCancelled();
        });
        assertThatThrownBy(work::join).isInstanceOf(CancellationException.class);
        assertThat(isFree("order")).isTrue();
    }

    @Test
    void aStageWhoseLockWasLostFailsTheResult() {
        LockRequest bounded = LockRequest.write("order").leaseTime(Duration.ofMillis(20));
        CompletableFuture<String> result = template.executeAsync(bounded, handle -> {
            CompletableFuture<String> late = new CompletableFuture<>();
            handle.onLost((lost, why) -> late.complete("too late"));
            return late;
        });
        assertThatThrownBy(() -> result.get(10, SECONDS)).hasCauseInstanceOf(LockLostException.class);
    }
}
