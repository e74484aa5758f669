// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.internal.time.TimerService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A timer is cancelled when its purpose has ended. */
@Timeout(60)
class TimersTest {
    private static final int CALLS = 3000;
    private static final Duration HOUR = Duration.ofHours(1);

    private final TimerThread timer = new TimerThread("timers");
    private LockRig rig;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.inProcess(settings -> settings.records(2 * CALLS));
        node = rig.join(builder -> builder.time(System::nanoTime, timer, LockRig.RANDOM));
    }

    @AfterEach
    void stop() {
        rig.close();
        timer.close();
    }

    private int pending() {
        return timer.executor.getQueue().size();
    }

    /** Heartbeat, lease and clock are always timed, and a request that is under way is for a moment. */
    private void assertOnlyTheNodesOwnTimersAreLeft() throws InterruptedException {
        for (int i = 0; i < 200 && pending() > 5; i++) {
            MILLISECONDS.sleep(50);
        }
        assertThat(pending()).isBetween(1, 5);
    }

    private CompletableFuture<LockHandle> ask(String name, int owner) {
        return node.acquireAsync(LockRequest.write(name).waitTime(HOUR), LockOwner.named("owner-" + owner))
                .toCompletableFuture();
    }

    @Test
    void grantedCallsLeaveNoTimersBehind() throws Exception {
        List<CompletableFuture<LockHandle>> all = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            all.add(ask("name-" + i, i));
        }
        for (CompletableFuture<LockHandle> call : all) {
            // Some hold on: it is the grant that ends the wait, not the release.
            assertThat(call.get(30, SECONDS).isValid()).isTrue();
        }
        assertOnlyTheNodesOwnTimersAreLeft();
    }

    @Test
    void neitherDoCallsThatWaitedWereCancelledOrFailed() throws Exception {
        LockHandle first = ask("one", -1).get(30, SECONDS);
        List<CompletableFuture<LockHandle>> all = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            all.add(ask("one", i));
        }
        assertThat(pending()).as("they wait").isGreaterThanOrEqualTo(CALLS);
        for (int i = 0; i < CALLS; i += 2) {
            assertThat(all.get(i).cancel(false)).isTrue();
        }
        first.close();
        for (int i = 1; i < CALLS; i += 2) {
            all.get(i).get(30, SECONDS).close();
        }
        assertOnlyTheNodesOwnTimersAreLeft();
    }

    @Test
    void whatWasReleasedHasNoCeilingAnyMore() throws Exception {
        for (int i = 0; i < CALLS; i++) {
            node.acquire(LockRequest.write("name-" + i).leaseTime(HOUR)).close();
        }
        assertOnlyTheNodesOwnTimersAreLeft();
        // A ceiling still ends what lasts too long.
        LockHandle held = node.acquire(LockRequest.write("held").leaseTime(Duration.ofMillis(50)));
        CompletableFuture<Void> lost = new CompletableFuture<>();
        held.onLost((handle, why) -> lost.complete(null));
        lost.get(30, SECONDS);
        assertThat(held.isValid()).isFalse();
    }

    @Test
    void aServiceThatCannotRemoveTimersKeepsNothingOfTheirTasks() {
        List<Runnable> queue = new ArrayList<>();
        TimerService simple = (delay, task) -> queue.add(task);
        List<String> ran = new ArrayList<>();
        TimerService.Timer cancelled = simple.start(1, () -> ran.add("cancelled"));
        simple.start(1, () -> ran.add("due"));
        cancelled.cancel();
        queue.forEach(Runnable::run);
        queue.forEach(Runnable::run);
        assertThat(ran).containsExactly("due");
    }
}
