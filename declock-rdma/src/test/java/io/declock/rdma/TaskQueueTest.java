// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TaskQueueTest {
    private static final int SECONDS = 10;

    private final AtomicInteger wakes = new AtomicInteger();
    private final TaskQueue tasks = new TaskQueue(wakes::incrementAndGet);
    private final List<String> ran = new ArrayList<>();

    @Test
    void tasksWaitForTheThreadAndWakeIt() {
        tasks.execute(() -> ran.add("a"));
        assertThat(ran).isEmpty();
        assertThat(wakes).hasValue(1);
        tasks.run();
        assertThat(ran).containsExactly("a");
        assertThat(tasks.isEmpty()).isTrue();
    }

    @Test
    void aTaskThatThrowsKeepsNoOtherFromRunning() {
        tasks.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        tasks.execute(() -> ran.add("b"));
        tasks.run();
        assertThat(ran).containsExactly("b");
    }

    @Test
    void whatIsAddedByATaskFollowsIt() {
        tasks.end();
        tasks.execute(() -> {
            tasks.execute(() -> ran.add("inner"));
            ran.add("outer");
        });
        assertThat(ran).containsExactly("outer", "inner");
    }

    /** No mutex guards the state that tasks change, so two tasks at once would break it. */
    @Test
    void afterTheEndTasksOfSeveralThreadsRunOneAtATime() throws Exception {
        tasks.end();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch added = new CountDownLatch(1);
        Thread other = Thread.ofPlatform()
                .start(() -> tasks.execute(() -> {
                    begun.countDown();
                    await(added);
                    ran.add("first");
                }));
        await(begun);
        tasks.execute(() -> ran.add("second"));
        assertThat(ran).as("while the first still runs").isEmpty();
        added.countDown();
        other.join(TimeUnit.SECONDS.toMillis(SECONDS));
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void aDestroyedChannelIsNotWoken() throws Exception {
        tasks.destroy(() -> ran.add("destroyed"));
        tasks.wake();
        assertThat(ran).containsExactly("destroyed");
        assertThat(wakes).hasValue(0);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
