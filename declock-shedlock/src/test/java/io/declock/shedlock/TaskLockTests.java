// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.declock.LockHandle;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock whose end its timer and its listener have not noticed yet: the clock and the lease decide. */
@Timeout(60)
class TaskLockTests {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(5);

    private final LockHandle handle = mock(LockHandle.class);
    private final LockTimer timer = new LockTimer();
    private final CountDownLatch late = new CountDownLatch(1);

    @BeforeEach
    void holdTheTimerUp() {
        when(handle.isValid()).thenReturn(true);
        timer.start(0, () -> {
            try {
                late.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @AfterEach
    void letItGo() {
        late.countDown();
    }

    @Test
    void aLockWhoseTimeIsOverIsNotExtended() {
        SimpleLock lock = begin(SHORT, Duration.ZERO);
        awaitEnd();
        assertThat(lock.extend(LONG, LONG)).isEmpty();
    }

    @Test
    void aLockWhoseTimeIsOverIsReleasedByItsUnlock() {
        SimpleLock lock = begin(SHORT, SHORT);
        awaitEnd();
        lock.unlock();
        verify(handle).close();
    }

    @Test
    void aLockWhoseLeaseMayHaveRunOutIsNotExtended() {
        SimpleLock lock = begin(LONG, Duration.ZERO);
        when(handle.isValid()).thenReturn(false);
        assertThat(lock.extend(LONG, LONG)).isEmpty();
    }

    private SimpleLock begin(Duration most, Duration least) {
        return TaskLock.begin(
                handle, new LockConfiguration(ClockProvider.now(), "x", most, least), timer, extended -> {});
    }

    private static void awaitEnd() {
        long end = System.nanoTime() + SHORT.toNanos();
        await().until(() -> System.nanoTime() - end > 0);
    }
}
