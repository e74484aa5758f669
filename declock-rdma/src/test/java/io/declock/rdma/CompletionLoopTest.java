// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.rdma.CompletionLoop.CompletionQueue;
import io.declock.rdma.verbs.Completions;
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
    private CompletionLoop loop;
    private CompletionQueue queue;

    /** Takes down what completes. */
    private final class Recorder implements CompletionLoop.Handler {
        @Override
        public void completed(Completions completions, int i) {
            taken.add(completions.id(i));
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

    /** The other thread has looked and found nothing, and still has the queue: it will not look again. */
    @Test
    void whatCompletesWhileAnotherThreadHasTheQueueIsNotLeftToIt() throws Exception {
        device.afterLooking.put(Thread.currentThread(), () -> {
            device.sleeps.drainPermits();
            device.beforeArming.add(() -> device.complete(2));
            device.complete(1);
            // The loop now waits for this thread, which nobody can see; or it has gone to sleep without having looked.
            awaitSleep();
        });
        assertThat(queue.take()).as("there was nothing").isFalse();
        assertThat(next()).isEqualTo(1);
        assertThat(next()).isEqualTo(2);
    }

    private void awaitSleep() {
        try {
            device.sleeps.tryAcquire(300, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
