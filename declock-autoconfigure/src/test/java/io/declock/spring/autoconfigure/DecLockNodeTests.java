// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.ComputeNodeSettings;
import io.declock.DecLockException;
import io.declock.MemoryNodeAddress;
import io.declock.internal.node.ComputeNode;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that start, stop and use the compute node at the same time. */
@Timeout(60)
class DecLockNodeTests {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch mayOpen = new CountDownLatch(1);
    private final CountDownLatch opens = new CountDownLatch(1);
    private final CountDownLatch mayClose = new CountDownLatch(1);
    private final CountDownLatch closes = new CountDownLatch(1);
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final DecLockNode node = new DecLockNode(
            ComputeNodeSettings.DEFAULTS,
            () -> List.of(MemoryNodeAddress.parse("slow://a:1")),
            () -> List.of(counters -> new SlowFabric()),
            builder -> {},
            null);

    /** Opens and closes when the test says so, and joins nothing. */
    private final class SlowFabric implements Fabric {
        SlowFabric() {
            opened.incrementAndGet();
            opens.countDown();
            await(mayOpen);
        }

        @Override
        public boolean supports(MemoryNodeAddress address) {
            return true;
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            return CompletableFuture.failedFuture(new FabricException("nobody is there"));
        }

        @Override
        public String peerAddress() {
            return "";
        }

        @Override
        public void close() {
            closed.incrementAndGet();
            closes.countDown();
            await(mayClose);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void end() {
        mayOpen.countDown();
        mayClose.countDown();
        node.close();
        threads.shutdownNow();
    }

    @Test
    void allThatNeedItDuringTheStartGetTheSameOne() throws Exception {
        List<Future<ComputeNode>> users = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            users.add(threads.submit(node::running));
        }
        await(opens);
        assertThat(node.current()).isNull();
        assertThat(users).noneMatch(Future::isDone);
        mayOpen.countDown();
        for (Future<ComputeNode> user : users) {
            assertThat(user.get(10, TimeUnit.SECONDS)).isSameAs(node.current()).isNotNull();
        }
        assertThat(opened).hasValue(1);
    }

    @Test
    void aStopDuringTheStartStopsWhatWasStarted() throws Exception {
        mayClose.countDown();
        Future<?> user = threads.submit(node::running);
        await(opens);
        Future<?> stop = threads.submit(node::stop);
        mayOpen.countDown();
        user.get(10, TimeUnit.SECONDS);
        stop.get(10, TimeUnit.SECONDS);
        assertThat(node.current()).isNull();
        assertThat(closed).hasValue(1);
        assertThatExceptionOfType(DecLockException.class).isThrownBy(node::running);
    }

    @Test
    void whoNeedsItDuringTheStopIsRefusedAtOnceAndAFurtherStopWaits() throws Exception {
        mayOpen.countDown();
        node.start();
        Future<?> stop = threads.submit(node::stop);
        await(closes);
        // On this thread: it would wait for the end of the stop, which comes later.
        assertThatExceptionOfType(DecLockException.class)
                .isThrownBy(node::running)
                .withMessageContaining("shutting down");
        Future<?> further = threads.submit(node::stop);
        Future<ComputeNode> start = threads.submit(() -> node.start());
        assertThat(stop.isDone() || further.isDone() || start.isDone()).isFalse();
        mayClose.countDown();
        stop.get(10, TimeUnit.SECONDS);
        start.get(10, TimeUnit.SECONDS);
        further.get(10, TimeUnit.SECONDS);
    }

    @Test
    void afterAStartThatFailedTheNextOneIsTried() {
        AtomicInteger tries = new AtomicInteger();
        DecLockNode failing = new DecLockNode(
                ComputeNodeSettings.DEFAULTS,
                () -> List.of(MemoryNodeAddress.parse("slow://a:1")),
                () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("first");
                    }
                    return List.of(counters -> new SlowFabric());
                },
                builder -> {},
                null);
        mayOpen.countDown();
        mayClose.countDown();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(failing::running)
                .withMessage("first");
        assertThat(failing.running()).isSameAs(failing.current());
        failing.close();
    }

    @Test
    void aThreadThatStartsItDoesNotWaitForItself() {
        AtomicInteger depth = new AtomicInteger();
        DecLockNode[] own = new DecLockNode[1];
        own[0] = new DecLockNode(
                ComputeNodeSettings.DEFAULTS,
                () -> List.of(MemoryNodeAddress.parse("slow://a:1")),
                () -> {
                    depth.incrementAndGet();
                    own[0].running();
                    return List.of();
                },
                builder -> {},
                null);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(own[0]::running)
                .withMessageContaining("while this thread starts or stops it");
        assertThat(depth).hasValue(1);
    }

    @Test
    void startsAndStopsInAnyOrderEndWhereTheLastOneSays() throws Exception {
        mayOpen.countDown();
        mayClose.countDown();
        Set<Throwable> failures = ConcurrentHashMap.newKeySet();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            boolean starts = i % 2 == 0;
            all.add(threads.submit(() -> {
                for (int round = 0; round < 50; round++) {
                    try {
                        if (starts) {
                            node.start();
                        } else {
                            node.stop();
                        }
                    } catch (RuntimeException e) {
                        failures.add(e);
                    }
                }
            }));
        }
        for (Future<?> one : all) {
            one.get(50, TimeUnit.SECONDS);
        }
        assertThat(failures).isEmpty();
        node.stop();
        assertThat(node.current()).isNull();
        assertThat(closed.get()).isEqualTo(opened.get());
        assertThat(node.start()).isSameAs(node.current());
    }
}
