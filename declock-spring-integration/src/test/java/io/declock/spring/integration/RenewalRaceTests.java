// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockNotGrantedException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A time to live that is over between the beginning and the end of its renewal. */
class RenewalRaceTests {
    private static final Duration TTL = Duration.ofMinutes(1);

    private final DistributedReadWriteLock locks = mock(DistributedReadWriteLock.class);
    private final LockHandle whole = valid();
    private final LockHandle before = valid();
    private final LockHandle begun = valid();
    private final DecLockRegistry registry = new DecLockRegistry(locks);

    private static LockHandle valid() {
        LockHandle handle = mock(LockHandle.class);
        when(handle.isValid()).thenReturn(true);
        return handle;
    }

    @BeforeEach
    void lock() throws Exception {
        when(locks.tryAcquire(any())).thenReturn(Optional.of(whole));
        when(locks.acquire(any())).thenReturn(before);
        assertThat(registry.obtain("x").tryLock(Duration.ZERO, TTL)).isTrue();
    }

    @AfterEach
    void nothingIsHeld() {
        verify(whole).close();
        assertThat(ThreadHolds.count()).isZero();
    }

    @Test
    void whatWasGrantedAnewIsGivenBackAndTheLossIsTold() throws Exception {
        when(locks.acquire(any())).thenReturn(begun);
        // A handle tells its loss once.
        doThrow(new LockLostException("over")).doNothing().when(before).close();
        assertThatThrownBy(() -> registry.renewLock("x")).isInstanceOf(IllegalStateException.class);
        verify(begun).close();
        assertThatThrownBy(registry.obtain("x")::unlock)
                .isInstanceOf(ConcurrentModificationException.class)
                .hasRootCauseMessage("over");
    }

    @Test
    void aLockThatAnotherHolderHasByThenIsALoss() throws Exception {
        when(locks.acquire(any())).thenThrow(new LockNotGrantedException("busy"));
        assertThatThrownBy(() -> registry.renewLock("x"))
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("busy");
        doThrow(new LockLostException("over")).when(before).close();
        assertThatThrownBy(registry.obtain("x")::unlock).isInstanceOf(ConcurrentModificationException.class);
    }
}
