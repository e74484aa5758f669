// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.ComputeNodeSettings;
import io.declock.Counters.Event;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockRequest;
import io.declock.spi.LockObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that was paused past its lease releases as soon as it wakes, before anything else of it has noticed (rule C1). */
@Timeout(60)
class PausedHolderTest {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<LockMode> lost = new CopyOnWriteArrayList<>();
    private volatile long paused;
    private OneNode one;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        one = OneNode.start(
                100,
                ComputeNodeSettings.DEFAULTS,
                builder -> builder.observer(new LockObserver() {
                            @Override
                            public void lost(String name, LockMode mode) {
                                lost.add(mode);
                            }
                        })
                        .time(
                                () -> System.nanoTime() + paused,
                                (delay, task) -> timer.schedule(() -> unlessPaused(task), delay, TimeUnit.NANOSECONDS),
                                () -> ThreadLocalRandom.current().nextLong()));
        node = one.node();
    }

    @AfterEach
    void stop() {
        paused = 0;
        one.close();
        timer.shutdownNow();
    }

    private void unlessPaused(Runnable task) {
        if (paused == 0) {
            task.run();
        }
    }

    private void pause() {
        paused = Duration.ofHours(1).toNanos();
    }

    @Test
    void closingTheHandleTellsThatTheLockWasLost() throws Exception {
        LockHandle handle = node.acquire(LockRequest.write("x"));
        pause();
        assertThatThrownBy(handle::close)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("'x'")
                .hasMessageContaining("lease");
        assertThat(one.counters().get(Event.HOLD_LOST)).isEqualTo(1);
        assertThat(lost).containsExactly(LockMode.WRITE);
    }

    @Test
    void unlockingTellsTheSame() {
        Lock lock = node.lock("x").readLock();
        lock.lock();
        lock.lock();
        pause();
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(one.counters().get(Event.HOLD_LOST)).isEqualTo(1);
    }
}
