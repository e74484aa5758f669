// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.Counters.Event;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockRequest;
import io.declock.spi.LockObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that was paused past its lease releases as soon as it wakes, before anything else of it has noticed (rule C1). */
@Timeout(60)
class PausedHolderTest {
    private final List<LockMode> lost = new CopyOnWriteArrayList<>();
    private volatile long paused;
    private LockRig rig;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.inProcess();
        LockObserver observer = new LockObserver() {
            @Override
            public void lost(String name, LockMode mode) {
                lost.add(mode);
            }
        };
        node = rig.join(builder -> builder.observer(observer)
                .time(
                        () -> System.nanoTime() + paused,
                        (delay, task) -> rig.timer().schedule(delay, () -> unlessPaused(task)),
                        LockRig.RANDOM));
    }

    @AfterEach
    void stop() {
        paused = 0;
        rig.close();
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
        assertThat(rig.counters(node).get(Event.HOLD_LOST)).isEqualTo(1);
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
        assertThat(rig.counters(node).get(Event.HOLD_LOST)).isEqualTo(1);
    }
}
