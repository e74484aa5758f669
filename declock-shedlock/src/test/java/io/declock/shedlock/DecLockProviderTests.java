// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.DecLock;
import io.declock.LockInterruptedException;
import io.declock.LockRequest;
import io.declock.LockView;
import io.declock.MemoryNodeUnavailableException;
import io.declock.MemoryNodeView;
import io.declock.internal.tcp.server.LoopbackMemoryNode;
import io.declock.testkit.TcpProxy;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What ShedLock's own tests do not ask: losses, closing, another process, and what is left behind. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class DecLockProviderTests {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration NONE = Duration.ZERO;
    private static final ComputeNodeSettings SETTINGS =
            ComputeNodeSettings.builder().lease(Duration.ofMillis(600)).build();

    private LoopbackMemoryNode memoryNode;
    private TcpProxy proxy;
    private DecLock node;
    private DecLock otherNode;
    private DecLockProvider provider;
    private DecLockProvider other;

    @BeforeEach
    void start() throws Exception {
        memoryNode = new LoopbackMemoryNode();
        proxy = new TcpProxy(memoryNode.port());
        node = LoopbackMemoryNode.open(proxy.port(), SETTINGS);
        otherNode = memoryNode.open(SETTINGS);
        provider = new DecLockProvider(node);
        other = new DecLockProvider(otherNode);
    }

    @AfterEach
    void stop() {
        node.close();
        otherNode.close();
        proxy.close();
        memoryNode.close();
    }

    @Test
    void aTaskThatEndsEarlyKeepsTheLockFromOtherProcessesAndLeavesItInTime() {
        Duration least = Duration.ofMillis(500);
        long before = System.nanoTime();
        locked(provider, LONG, least).unlock();
        assertThat(lock(other, LONG, NONE)).isEmpty();
        awaitGranted(other).unlock();
        assertThat(System.nanoTime() - before).isGreaterThan(least.toNanos());
    }

    @Test
    void aLockWhoseTimeIsOverIsReleasedWithAWarningAndItsUnlockFreesNothingElse(CapturedOutput output) {
        SimpleLock late = locked(provider, Duration.ofMillis(100), NONE);
        SimpleLock successor = awaitGranted(other);
        assertThat(output).contains("Lock 'x' was not unlocked within its lockAtMostFor of PT0.1S");
        assertThat(late.extend(LONG, NONE)).isEmpty();
        assertThatThrownBy(late::unlock).isInstanceOf(IllegalStateException.class);
        assertThat(lock(provider, LONG, NONE)).isEmpty();
        successor.unlock();
    }

    @Test
    void anUnlockAfterTheTimeIsOverFreesNothingElse() {
        SimpleLock late = locked(provider, Duration.ofMillis(100), Duration.ofMillis(100));
        SimpleLock successor = awaitGranted(other);
        late.unlock();
        assertThat(lock(provider, LONG, NONE)).isEmpty();
        successor.unlock();
    }

    @Test
    void anExtensionIsOverAtItsOwnTime() {
        SimpleLock extended = locked(provider, LONG, NONE)
                .extend(Duration.ofMillis(100), Duration.ofMillis(100))
                .orElseThrow();
        awaitGranted(other).unlock();
        extended.unlock();
        assertThat(provider.pending()).isZero();
    }

    @Test
    void noTimeAtAllIsOverAtOnce() {
        SimpleLock over = locked(provider, NONE, NONE);
        awaitGranted(other).unlock();
        over.unlock();
    }

    @Test
    void aLostLockIsLoggedAndNeitherExtendedNorAnErrorOfTheTask(CapturedOutput output) {
        SimpleLock lost = locked(provider, LONG, NONE);
        proxy.set(TcpProxy.Flow.LOST);
        SimpleLock successor = awaitGranted(other);
        await().until(() -> output.getOut().contains("Lock 'x' was lost while its task ran"));
        assertThat(lost.extend(LONG, NONE)).isEmpty();
        assertThatThrownBy(lost::unlock).isInstanceOf(IllegalStateException.class);
        successor.unlock();
        proxy.set(TcpProxy.Flow.OPEN);
        awaitGranted(provider).unlock();
    }

    @Test
    void aLostLockCanBeUnlocked() {
        SimpleLock lost = locked(provider, LONG, NONE);
        proxy.set(TcpProxy.Flow.LOST);
        SimpleLock successor = awaitGranted(other);
        lost.unlock();
        successor.unlock();
        awaitGranted(other).unlock();
        assertThat(provider.pending()).isZero();
    }

    @Test
    void anUnavailableMemoryNodeIsNoBusyLock() {
        proxy.set(TcpProxy.Flow.LOST);
        await().until(() -> node.monitor().memoryNodes().get(0).state() != MemoryNodeView.State.UP);
        assertThatThrownBy(() -> lock(provider, LONG, NONE)).isInstanceOf(MemoryNodeUnavailableException.class);
    }

    @Test
    void aLockStaysTakenWhenTheProcessOfAnEarlyTaskLeavesAndItsShutdownDoesNotWait() throws Exception {
        Duration least = Duration.ofSeconds(2);
        long before = System.nanoTime();
        locked(provider, LONG, least).unlock();
        assertThat(node.awaitIdle(Duration.ofMillis(50))).isTrue();
        node.close();
        assertThat(lock(other, LONG, NONE)).isEmpty();
        awaitGranted(other).unlock();
        assertThat(System.nanoTime() - before).isGreaterThan(least.toNanos());
    }

    @Test
    void theShortestTimeOfAnExtensionCountsFromTheExtension() {
        Duration least = Duration.ofSeconds(1);
        SimpleLock first = locked(provider, LONG, NONE);
        long before = System.nanoTime();
        first.extend(LONG, least).orElseThrow().unlock();
        assertThat(lock(other, LONG, NONE)).isEmpty();
        awaitGranted(other).unlock();
        assertThat(System.nanoTime() - before).isGreaterThan(least.toNanos());
    }

    @Test
    void nothingIsLeftBehind() throws Exception {
        for (int i = 0; i < 100; i++) {
            SimpleLock lock = provider.lock(configuration("x" + i, LONG, i % 2 == 0 ? NONE : Duration.ofMillis(100)))
                    .orElseThrow();
            lock.extend(LONG, NONE).orElseThrow().unlock();
        }
        assertThat(node.awaitIdle(SOON)).isTrue();
        assertThat(provider.pending()).isZero();
    }

    @Test
    void itsNamesHaveThePrefixAndItsOwnersTheName() throws Exception {
        SimpleLock lock = new DecLockProvider(node, "p:")
                .lock(configuration("x", LONG, NONE))
                .orElseThrow();
        assertThat(otherNode.tryAcquire(LockRequest.write("p:x").waitTime(NONE)))
                .isEmpty();
        assertThat(node.monitor().locks(10)).extracting(LockView::owner).containsExactly("ShedLock x");
        lock.unlock();
    }

    @Test
    void anInterruptIsKept() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock(provider, LONG, NONE)).isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    private static SimpleLock awaitGranted(DecLockProvider provider) {
        return await().atMost(SOON)
                .pollInterval(Duration.ofMillis(10))
                .ignoreException(MemoryNodeUnavailableException.class)
                .until(() -> lock(provider, LONG, NONE), Optional::isPresent)
                .orElseThrow();
    }

    private static SimpleLock locked(DecLockProvider provider, Duration most, Duration least) {
        return lock(provider, most, least).orElseThrow();
    }

    private static Optional<SimpleLock> lock(DecLockProvider provider, Duration most, Duration least) {
        return provider.lock(configuration("x", most, least));
    }

    private static LockConfiguration configuration(String name, Duration most, Duration least) {
        return new LockConfiguration(ClockProvider.now(), name, most, least);
    }
}
