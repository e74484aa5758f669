// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.Purpose;
import io.declock.rdma.CompletionLoop.CompletionQueue;
import io.declock.spi.TestChain;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Callers and the completion thread together, without a device: what a caller takes itself wakes nobody, and whatever it leaves
 * under way is taken, whenever it completes.
 */
@Timeout(60)
class LeftBehindTest {
    private static final int SECONDS = 10;
    private static final int SLOTS = 4;

    private final EventDevice device = new EventDevice();
    private final RdmaCounters counters = new RdmaCounters();
    private final LookedAt lock = new LookedAt();
    private final LaterQueue handler = new LaterQueue();
    private CompletionLoop loop;
    private CompletionQueue completions;
    private VerbQueue queue;

    /** Does something once, when the thread that said so is about to let it go. */
    private static final class LookedAt extends ReentrantLock {
        private volatile @Nullable Thread thread;
        private Runnable before = () -> {};

        void beforeUnlocking(Runnable task) {
            before = task;
            thread = Thread.currentThread();
        }

        @Override
        public void unlock() {
            if (Thread.currentThread() == thread) {
                thread = null;
                before.run();
            }
            super.unlock();
        }
    }

    @BeforeEach
    void start() throws Exception {
        make(Duration.ofSeconds(20));
    }

    private void make(Duration pollTime) throws Exception {
        loop = new CompletionLoop(device, EventDevice.context(), ConnectionSettings.DEFAULTS, counters);
        completions = loop.create(16, handler);
        queue = new VerbQueue(
                device,
                null,
                new ChainSlots(device, null, new RegionGrant(0x10000, 4096, 0x42), SLOTS, 16),
                counters,
                cause -> {},
                new Takers(completions, pollTime.toNanos()),
                lock,
                new WaitingChains(none -> {}));
        handler.queue = queue;
        awaitSleep();
    }

    @AfterEach
    void stop() throws Exception {
        CountDownLatch removed = new CountDownLatch(1);
        loop.remove(completions, removed::countDown);
        assertThat(removed.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        loop.close();
    }

    /** The thread knows the queue, and has gone to sleep. */
    private void awaitSleep() throws InterruptedException {
        CountDownLatch known = new CountDownLatch(1);
        loop.execute(known::countDown);
        assertThat(known.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        await().atMost(Duration.ofSeconds(SECONDS)).until(device::isAsleep);
    }

    private TestChain post(Purpose purpose) {
        TestChain chain = TestChain.forPurpose(purpose);
        chain.fetchAndAdd(0, 1);
        queue.post(chain);
        return chain;
    }

    /** Completes what was posted as the {@code n}th: its id is its slot. */
    private static void complete(EventDevice device, long n) {
        device.complete(n % SLOTS);
    }

    private void complete(long n) {
        complete(device, n);
    }

    private static void awaitEnd(TestChain chain) throws Exception {
        chain.future().get(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void whatACallerTakesItselfWakesNobody() {
        for (long i = 0; i < 100; i++) {
            long sequence = i;
            device.afterPosting.add(() -> complete(sequence));
            assertThat(post(i % 2 == 0 ? Purpose.ACQUIRE : Purpose.RELEASE).future())
                    .isCompleted();
        }
        assertThat(counters.armings.sum()).isZero();
    }

    @Test
    void whatNobodyWaitsForIsTakenByTheThread() throws Exception {
        for (long i = 0; i < 100; i++) {
            TestChain chain = post(Purpose.RELEASE);
            complete(i);
            awaitEnd(chain);
        }
    }

    @Test
    void whatCompletesJustBeforeAnEventIsAskedForIsTakenWithoutOne() throws Exception {
        device.beforeArming.add(() -> complete(0));
        awaitEnd(post(Purpose.RELEASE));
    }

    @Test
    void theSecondOfTwoIsTakenThoughTheEventWasForTheFirst() throws Exception {
        TestChain first = post(Purpose.RELEASE);
        TestChain second = post(Purpose.RELEASE);
        device.sleeps.drainPermits();
        complete(0);
        awaitEnd(first);
        assertThat(device.sleeps.tryAcquire(SECONDS, TimeUnit.SECONDS)).isTrue();
        complete(1);
        awaitEnd(second);
    }

    @Test
    void whatACallerGaveUpWaitingForIsTakenByTheThread() throws Exception {
        stop();
        make(Duration.ofMillis(1));
        TestChain chain = post(Purpose.ACQUIRE);
        assertThat(chain.future()).isNotDone();
        complete(0);
        awaitEnd(chain);
    }

    @Test
    void callersThatTakeNothingLeaveEverything() throws Exception {
        stop();
        make(Duration.ZERO);
        TestChain chain = post(Purpose.ACQUIRE);
        complete(0);
        awaitEnd(chain);
    }

    /** A thread that wants to post finds the lock taken by one that only reads the queue's state: that one posts the chain, and leaves it. */
    @Test
    void whatAnotherThreadPostsInPassingIsWatched() throws Exception {
        TestChain[] chain = new TestChain[1];
        lock.beforeUnlocking(() -> {
            Thread poster = Thread.ofPlatform().start(() -> chain[0] = post(Purpose.RELEASE));
            try {
                poster.join(Duration.ofSeconds(SECONDS));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(queue.state()).isNotEmpty();
        assertThat(device.posts).hasSize(1);
        complete(0);
        awaitEnd(chain[0]);
    }

    /** Neither sees the other in a moment when both think that the other looks. */
    @Test
    void nothingIsLostBetweenCallersAndAThreadThatGoesToSleep() throws Exception {
        try (Completer completer = new Completer(device)) {
            for (int i = 0; i < 20_000; i++) {
                TestChain chain = post(i % 3 == 0 ? Purpose.ACQUIRE : Purpose.RELEASE);
                if (i % 3 != 1) {
                    awaitEnd(chain);
                }
            }
            awaitEnd(post(Purpose.RELEASE));
        }
    }

    /** More callers than places: some take for others, some wait for room, some give up. */
    @Test
    void nothingIsLostAmongSeveralCallers() throws Exception {
        stop();
        make(Duration.ofNanos(20_000));
        int callers = 2 * SLOTS;
        CountDownLatch ended = new CountDownLatch(callers);
        try (Completer completer = new Completer(device)) {
            for (int c = 0; c < callers; c++) {
                int caller = c;
                Thread.ofPlatform().daemon().start(() -> {
                    for (int i = 0; i < 5000; i++) {
                        Purpose purpose = (i + caller) % 2 == 0 ? Purpose.ACQUIRE : Purpose.RELEASE;
                        post(purpose)
                                .future()
                                .orTimeout(SECONDS, TimeUnit.SECONDS)
                                .join();
                    }
                    ended.countDown();
                });
            }
            assertThat(ended.await(4 * SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Completes what is posted, on a thread of its own, after a moment. */
    private static final class Completer implements AutoCloseable {
        private final EventDevice device;
        private final Thread thread;
        private volatile boolean over;

        Completer(EventDevice device) {
            this.device = device;
            this.thread = Thread.ofPlatform().daemon().start(this::run);
        }

        private void run() {
            long next = 0;
            while (!over) {
                if (next < device.posted.get()) {
                    complete(device, next++);
                }
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() throws InterruptedException {
            over = true;
            thread.join();
        }
    }
}
