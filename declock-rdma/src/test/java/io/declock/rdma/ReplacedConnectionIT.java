// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.Counters.Event;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.internal.node.ComputeNode;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.ForwardingFabric;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules G1 and G6 on a device: a session goes on with another connection of the adapters, and its holds and waiters with it. */
@Timeout(300)
class ReplacedConnectionIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int NAMES = 3;
    private static final int BREAKS = 12;

    private final List<RdmaSession> sessions = new CopyOnWriteArrayList<>();
    private final int[] turns = new int[NAMES];
    private final AtomicInteger[] inside = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
    private RdmaLocks locks;

    @BeforeEach
    void start() throws Exception {
        locks = new RdmaLocks((tcp, counters) -> new Remembering(RdmaRig.open(tcp, counters)));
    }

    @AfterEach
    void stop() {
        locks.stopAll();
    }

    /** Remembers the sessions. */
    private final class Remembering extends ForwardingFabric {
        Remembering(Fabric fabric) {
            super(fabric);
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            return super.join(address, request, listener).thenApply(session -> {
                sessions.add((RdmaSession) session);
                return session;
            });
        }
    }

    /** The memory node ends a session's connection before it offers another one. Nobody uses this offer: the session asks for its own. */
    private static void breakConnection(RdmaSession session) throws Exception {
        session.tcp().rdmaOffer().toCompletableFuture().get(PATIENCE.toSeconds(), SECONDS);
    }

    @Test
    void holdsOutliveAConnectionAndWaitersGetTheLock() throws Exception {
        ComputeNode holder = locks.start("rdma");
        ComputeNode waiter = locks.start("rdma");
        LockHandle held = holder.acquire(LockRequest.write("kept"));
        CompletionStage<LockHandle> waits = waiter.acquireAsync(LockRequest.write("kept"), LockOwner.named("waiter"));

        breakConnection(sessions.get(0));
        breakConnection(sessions.get(1));
        await().atMost(PATIENCE).until(() -> resumed(holder) == 1 && resumed(waiter) == 1);
        try (LockHandle other = holder.acquire(LockRequest.write("other"))) {
            assertThat(other.isValid()).isTrue();
        }

        assertThat(held.isValid()).isTrue();
        long token = held.fencingToken();
        held.close();
        try (LockHandle next = waits.toCompletableFuture().get(PATIENCE.toSeconds(), SECONDS)) {
            assertThat(next.fencingToken()).isGreaterThan(token);
        }
        assertThat(sessions).hasSize(2);
    }

    @Test
    void connectionsThatBreakUnderLoadCostNoHold() throws Exception {
        List<ComputeNode> nodes = List.of(locks.start("rdma"), locks.start("rdma"));
        LockHandle kept = nodes.get(0).acquire(LockRequest.write("kept"));
        CountDownLatch over = new CountDownLatch(1);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Integer>> workers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                ComputeNode node = nodes.get(i % 2);
                int name = i / 2;
                workers.add(threads.submit(() -> work(node, name, over)));
            }
            for (int i = 0; i < BREAKS; i++) {
                RdmaSession session = sessions.get(i % 2);
                long before = total();
                await().atMost(PATIENCE).until(() -> total() >= before + 20);
                int expected = i / 2 + 1;
                breakConnection(session);
                ComputeNode broken = nodes.get(i % 2);
                await().atMost(PATIENCE).until(() -> resumed(broken) >= expected);
            }
            over.countDown();
            int[] counted = new int[NAMES];
            for (int i = 0; i < workers.size(); i++) {
                counted[i / 2] += workers.get(i).get(PATIENCE.toSeconds(), SECONDS);
            }
            assertThat(turns).as("turns under each lock").isEqualTo(counted);
        } finally {
            over.countDown();
            threads.shutdownNow();
        }
        assertThat(kept.isValid()).isTrue();
        kept.close();
        assertThat(sessions).as("no process has joined again").hasSize(2);
        assertThat(nodes).allSatisfy(node -> {
            assertThat(node.monitor().counters().get(Event.SESSION_LOST)).isZero();
            assertThat(node.monitor().counters().get(Event.HOLD_LOST)).isZero();
        });
        System.out.println("turns " + total() + ", resets "
                + nodes.stream()
                        .mapToLong(node -> node.monitor().counters().get(Event.RESET_COMPLETED))
                        .sum());
    }

    private int work(ComputeNode node, int name, CountDownLatch over) throws Exception {
        int mine = 0;
        while (over.getCount() > 0) {
            try (LockHandle handle = node.acquire(LockRequest.write("name" + name))) {
                assertThat(inside[name].incrementAndGet()).isEqualTo(1);
                turns[name]++;
                mine++;
                inside[name].decrementAndGet();
                assertThat(handle.isValid()).isTrue();
            }
        }
        return mine;
    }

    private long total() {
        return (long) turns[0] + turns[1] + turns[2];
    }

    private static long resumed(ComputeNode node) {
        return node.monitor().counters().get(Event.SESSION_RESUMED);
    }
}
