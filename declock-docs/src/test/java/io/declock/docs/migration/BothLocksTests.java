// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.Mockito;
import org.springframework.beans.factory.annotation.Autowired;

/** What the page says of two locks that are taken as one. */
@DecLockTest
@Timeout(60)
class BothLocksTests {
    @Autowired
    private DistributedReadWriteLock locks;

    @Autowired
    private TestLocks testLocks;

    private final ReentrantLock former = new ReentrantLock();
    private BothLocks both;

    @BeforeEach
    void make() {
        both = new BothLocks(former, locks.lock("order:42").writeLock());
    }

    @Test
    void itExcludesThoseThatHaveEither() throws Exception {
        both.lock();
        assertThat(CompletableFuture.supplyAsync(former::tryLock).get()).isFalse();
        assertThat(isFree()).isFalse();
        both.unlock();
        assertThat(former.isLocked()).isFalse();
        assertThat(isFree()).isTrue();
    }

    @Test
    void itKeepsNothingIfTheSecondLockIsBusy() throws Exception {
        try (LockHandle elsewhere = testLocks.holdElsewhere("order:42")) {
            assertThat(elsewhere.isValid()).isTrue();
            assertThat(both.tryLock()).isFalse();
            assertThat(former.isLocked()).isFalse();
            assertThat(both.tryLock(100, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(former.isLocked()).isFalse();
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(both::lockInterruptibly);
            assertThat(former.isLocked()).isFalse();
        }
        assertThat(both.tryLock(1, TimeUnit.SECONDS)).isTrue();
        both.unlock();
    }

    @Test
    void itKeepsNothingIfTheSecondLockFails() {
        Lock next = Mockito.mock();
        Mockito.doThrow(new IllegalStateException("down")).when(next).lock();
        assertThatIllegalStateException().isThrownBy(new BothLocks(former, next)::lock);
        assertThat(former.isLocked()).isFalse();
    }

    private boolean isFree() {
        try {
            testLocks
                    .holdElsewhere(LockRequest.write("order:42").waitTime(Duration.ofMillis(200)))
                    .close();
            return true;
        } catch (io.declock.LockNotGrantedException e) {
            return false;
        }
    }
}
