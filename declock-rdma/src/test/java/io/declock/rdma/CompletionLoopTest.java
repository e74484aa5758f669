// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.rdma.CompletionLoop.CompletionQueue;
import io.declock.rdma.verbs.Completions;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That nothing which completes is left lying, without a device: completions come at the worst of times. */
@Timeout(60)
class CompletionLoopTest {
    private static final int SECONDS = 10;

    private final EventDevice device = new EventDevice();
    private final BlockingQueue<Long> taken = new LinkedBlockingQueue<>();
    /** Whether each completion leads to the next one. */
    private volatile boolean endless;

    private CompletionLoop loop;
    private CompletionQueue queue;

    /** Takes down what completes. */
    private final class Recorder implements CompletionLoop.Handler {
        @Override
        public void completed(Completions completions, int i) {
            taken.add(completions.id(i));
            if (endless) {
                device.complete(completions.id(i) + 1);
            }
        }

        @Override
        public boolean isBusy() {
            return false;
        }
    }

    @BeforeEach
    void start() throws Exception {
        loop = new CompletionLoop(device, EventDevice.context(), ConnectionSettings.DEFAULTS, new RdmaCounters());
        queue = loop.create(16, new Recorder());
        assertThat(device.armings.tryAcquire(SECONDS, TimeUnit.SECONDS)).isTrue();
        await().atMost(Duration.ofSeconds(SECONDS)).until(device::isAsleep);
    }

    @AfterEach
    void stop() throws Exception {
        CountDownLatch removed = new CountDownLatch(1);
        loop.remove(queue, removed::countDown);
        assertThat(removed.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        loop.close();
    }

    private Long next() throws InterruptedException {
        return taken.poll(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void anEventWakesTheLoop() throws Exception {
        for (long id = 1; id <= 100; id++) {
            device.complete(id);
            assertThat(next()).isEqualTo(id);
        }
    }

    @Test
    void whatCompletesJustBeforeEventsAreAskedForIsTakenWithoutOne() throws Exception {
        device.beforeArming.add(() -> device.complete(2));
        device.complete(1);
        assertThat(next()).isEqualTo(1);
        assertThat(next()).isEqualTo(2);
    }

    /** The other thread has looked and found nothing, and still has the queue: it has to look again, as the loop leaves it to it. */
    @Test
    void whatCompletesWhileAnotherThreadHasTheQueueIsNotLeftLying() throws Exception {
        device.afterLooking.put(Thread.currentThread(), () -> {
            device.sleeps.drainPermits();
            device.beforeArming.add(() -> device.complete(2));
            device.complete(1);
            awaitSleep();
        });
        queue.take();
        assertThat(next()).isEqualTo(1);
        assertThat(next()).isEqualTo(2);
    }

    /** The caller may hold the lock that the others wait for. */
    @Test
    void aCallerIsNotKeptByCompletionsThatLeadToOthersWithoutEnd() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        device.beforeArming.add(() -> {
            endless = true;
            device.complete(1);
        });
        Thread caller = new Thread(() -> {
            queue.watch();
            left.countDown();
        });
        caller.setDaemon(true);
        caller.start();
        try {
            assertThat(left.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            taken.clear();
            assertThat(next()).as("what the completion thread takes").isNotNull();
        } finally {
            endless = false;
        }
    }

    private void awaitSleep() {
        try {
            device.sleeps.tryAcquire(300, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
