// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import io.declock.ComputeNodeSettings;
import io.declock.DecLock;
import io.declock.DistributedReadWriteLock;
import io.declock.LockLostException;
import io.declock.LockRequest;
import io.declock.UpgradeRefusedException;
import io.declock.internal.tcp.server.LoopbackMemoryNode;
import io.declock.testkit.TcpProxy;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;

/** Registries of two processes at one memory node; the first one's connection can be cut. */
@Timeout(60)
class DecLockRegistryTests {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final ComputeNodeSettings SETTINGS =
            ComputeNodeSettings.builder().lease(Duration.ofMillis(600)).build();

    private LoopbackMemoryNode memoryNode;
    private TcpProxy proxy;
    private DecLock mine;
    private DecLock others;
    private DecLockRegistry registry;
    private DecLockRegistry other;

    @BeforeEach
    void start() throws Exception {
        memoryNode = new LoopbackMemoryNode();
        proxy = new TcpProxy(memoryNode.port());
        mine = LoopbackMemoryNode.open(proxy.port(), SETTINGS);
        others = memoryNode.open(SETTINGS);
        registry = new DecLockRegistry(mine);
        other = new DecLockRegistry(others);
    }

    @AfterEach
    void stop() {
        mine.close();
        others.close();
        proxy.close();
        memoryNode.close();
        assertThat(ThreadHolds.count()).as("locks left behind").isZero();
    }

    @Test
    void aLockExcludesOtherThreadsAndOtherProcesses() throws Exception {
        registry.obtain("x").lock();
        assertThat(other.obtain("x").tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(CompletableFuture.supplyAsync(() -> registry.obtain("x").tryLock())
                        .get())
                .isFalse();
        registry.obtain("x").unlock();
        assertOtherIsGranted();
        other.obtain("x").unlock();
    }

    @Test
    void aThreadLocksAgainAndUnlocksAsOften() throws Exception {
        registry.obtain("x").lock();
        assertThat(registry.obtain("x").tryLock()).isTrue();
        registry.obtain("x").lockInterruptibly();
        registry.obtain("x").unlock();
        new DecLockRegistry(mine).obtain("x").unlock();
        assertThat(other.obtain("x").tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
        registry.obtain("x").unlock();
        assertOtherIsGranted();
        other.obtain("x").unlock();
    }

    @Test
    void aThreadLocksAgainWithoutAskingTheMemoryNode() throws Exception {
        DistributedReadWriteLock asked = mock(DistributedReadWriteLock.class, delegatesTo(mine));
        Lock lock = new DecLockRegistry(asked).obtain("x");
        lock.lock();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
        lock.unlock();
        verify(asked, times(1)).acquire(any());
        verify(asked, never()).tryAcquire(any());
    }

    @Test
    void aThreadThatReadsIsRefusedAndDoesNotGoOnWithoutTheLock() {
        Lock reader = mine.lock("integration:x").readLock();
        reader.lock();
        assertThatThrownBy(() -> registry.obtain("x").lock()).isInstanceOf(UpgradeRefusedException.class);
        assertThatThrownBy(() -> registry.obtain("x").lock(LONG)).isInstanceOf(UpgradeRefusedException.class);
        assertThat(registry.obtain("x").tryLock()).isFalse();
        assertThatThrownBy(() -> registry.obtain("x").unlock()).isInstanceOf(IllegalMonitorStateException.class);
        reader.unlock();
    }

    @Test
    void tasksRunUnderTheLock() throws Exception {
        registry.executeLocked("x", (CheckedRunnable<RuntimeException>) () -> assertBusy("x"));
        CheckedCallable<Integer, Exception> answer = () -> {
            assertBusy("x");
            return 42;
        };
        assertThat(registry.executeLocked("x", answer)).isEqualTo(42);
        assertThat(registry.executeLocked("x", LONG, answer)).isEqualTo(42);
        assertThatThrownBy(() -> registry.executeLocked("x", LONG, (CheckedRunnable<Exception>) () -> {
                    throw new TimeoutException("of the task");
                }))
                .hasMessage("of the task");
        assertOtherIsGranted();
        assertThatThrownBy(() -> registry.executeLocked("x", Duration.ofMillis(10), answer))
                .isInstanceOf(TimeoutException.class);
        other.obtain("x").unlock();
    }

    private void assertOtherIsGranted() throws InterruptedException {
        assertThat(other.obtain("x").tryLock(10, TimeUnit.SECONDS)).isTrue();
    }

    private void assertBusy(String key) {
        assertThat(other.obtain(key).tryLock()).isFalse();
    }

    @Test
    void aThreadThatDoesNotHoldTheLockCannotUnlockOrRenewIt() {
        other.obtain("x").lock();
        assertThatThrownBy(() -> registry.obtain("x").unlock()).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(() -> registry.renewLock("x")).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(() -> registry.fencingToken("x")).isInstanceOf(IllegalMonitorStateException.class);
        other.obtain("x").unlock();
    }

    @Test
    void aTimeToLiveReleasesTheLockAndItsHolderIsTold() throws Exception {
        DistributedLock lock = registry.obtain("x");
        assertThat(lock.tryLock(Duration.ZERO, SHORT)).isTrue();
        long token = registry.fencingToken("x");
        assertOtherIsGranted();
        assertThat(other.fencingToken("x")).isGreaterThan(token);
        assertThatThrownBy(lock::lock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> lock.lock(LONG)).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> registry.renewLock("x")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(ConcurrentModificationException.class)
                .hasCauseInstanceOf(LockLostException.class);
        assertBusyForMe();
        other.obtain("x").unlock();
        assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
    }

    /** The late unlock has released nothing of the other process. */
    private void assertBusyForMe() {
        assertThat(registry.obtain("x").tryLock()).isFalse();
    }

    @Test
    void aTimeToLiveThatIsNotReachedChangesNothing() throws Exception {
        registry.obtain("x").lock(LONG);
        assertBusy("x");
        registry.obtain("x").unlock();
        assertOtherIsGranted();
        other.obtain("x").unlock();
        assertThatThrownBy(() -> registry.obtain("x").lock(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRenewalBeginsTheTimeToLiveAnew() throws Exception {
        Duration ttl = Duration.ofMillis(400);
        registry.obtain("x").lock(ttl);
        registry.renewLock("x", LONG);
        assertThat(other.obtain("x").tryLock(2 * ttl.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
        registry.renewLock("x");
        // Shorter than before: it ends.
        registry.renewLock("x", SHORT);
        assertOtherIsGranted();
        assertThatThrownBy(() -> registry.obtain("x").unlock()).isInstanceOf(ConcurrentModificationException.class);
        other.obtain("x").unlock();
    }

    @Test
    void aRenewalWithoutATimeToLiveOnlyChecks() {
        registry.obtain("x").lock();
        registry.renewLock("x");
        registry.renewLock("x", Duration.ofMillis(1));
        assertBusy("x");
        registry.obtain("x").unlock();
    }

    @Test
    void theTimeToLiveOfANestedAcquisitionEndsOnlyThatOne() {
        Lock lock = registry.obtain("x");
        lock.lock();
        registry.obtain("x").lock(SHORT);
        await().pollInSameThread().until(() -> isLost("x"));
        assertBusy("x");
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        registry.renewLock("x");
        assertBusy("x");
        lock.unlock();
    }

    @Test
    void theTimeToLiveOfTheOuterAcquisitionDoesNotEndANestedOneThatHasALongerOne() throws Exception {
        Lock lock = registry.obtain("x");
        registry.obtain("x").lock(SHORT);
        registry.obtain("x").lock(LONG);
        assertThat(other.obtain("x").tryLock(3 * SHORT.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
        registry.renewLock("x");
        lock.unlock();
        assertOtherIsGranted();
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        other.obtain("x").unlock();
    }

    private boolean isLost(String key) {
        try {
            registry.renewLock(key);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Test
    void aLostSessionIsReportedByEveryUnlockAndTheLockCanBeTakenAgainAfterwards() throws Exception {
        Lock lock = registry.obtain("x");
        lock.lock();
        lock.lock();
        proxy.set(TcpProxy.Flow.LOST);
        assertOtherIsGranted();
        assertThatThrownBy(lock::tryLock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> registry.renewLock("x")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        other.obtain("x").unlock();
        proxy.set(TcpProxy.Flow.OPEN);
        lock.lock();
        lock.unlock();
    }

    @Test
    void anInterruptNeitherEndsTheWaitNorIsForgotten() throws Exception {
        other.obtain("x").lock();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            begun.countDown();
            registry.obtain("x").lock();
            interrupted.complete(Thread.currentThread().isInterrupted());
            registry.obtain("x").unlock();
        });
        waiter.start();
        begun.await();
        await().until(() -> mine.monitor().locks(10).size() > 0);
        waiter.interrupt();
        other.obtain("x").unlock();
        assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
        waiter.join();
    }

    @Test
    void anInterruptEndsAnInterruptibleCallAlsoOfTheHolder() {
        Lock lock = registry.obtain("x");
        lock.lock();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        lock.unlock();
    }

    @Test
    void everyGrantHasAGreaterToken() {
        long before = 0;
        for (DecLockRegistry each : new DecLockRegistry[] {registry, other, registry}) {
            each.obtain("x").lock();
            assertThat(each.fencingToken("x")).isGreaterThan(before);
            before = each.fencingToken("x");
            each.obtain("x").unlock();
        }
    }

    @Test
    void itsNamesHaveThePrefixAndItsKeysAreStrings() throws Exception {
        new DecLockRegistry(mine, "p:").obtain("x").lock();
        assertThat(others.tryAcquire(LockRequest.write("p:x").waitTime(Duration.ZERO)))
                .isEmpty();
        new DecLockRegistry(mine, "p:").obtain("x").unlock();
        assertThatThrownBy(() -> registry.obtain(42))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Integer");
        assertThatThrownBy(() -> registry.obtain("x").newCondition()).isInstanceOf(UnsupportedOperationException.class);
    }
}
