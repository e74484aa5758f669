// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.ComputeNodeSettings;
import io.declock.GrantKind;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.ControlPlane;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.ForwardingFabric;
import io.declock.spi.ForwardingSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.LockObserver;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One callback throws, once or always: afterwards locks are still granted, the dead are expelled, and records are reclaimed. */
@Tag("slow")
@Timeout(60)
class FaultInjectionTest {
    private static final Duration LEASE = Duration.ofMillis(300);
    private static final LockRequest PATIENT = LockRequest.write("x").waitTime(Duration.ofSeconds(20));

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private final AtomicInteger thrown = new AtomicInteger();
    private MemoryNode memoryNode;
    private volatile @Nullable Port broken;
    private volatile int times;
    private volatile boolean error;

    /** Where something of somebody else is called. */
    private enum Port {
        OBSERVER_GRANTED,
        OBSERVER_RELEASED,
        OBSERVER_NOT_GRANTED,
        OBSERVER_LOST,
        LOST_LISTENER,
        MEMBERSHIP_LISTENER,
        RECLAIM_LISTENER,
        SESSION_END_LISTENER,
        POST,
        HEARTBEAT,
        TIMER_TASK
    }

    static Stream<Arguments> faults() {
        return Arrays.stream(Port.values())
                .flatMap(port -> Stream.of(Arguments.of(port, false), Arguments.of(port, true)));
    }

    @AfterEach
    void stop() {
        broken = null;
        nodes.forEach(ComputeNode::close);
        memoryNode.close();
        timer.shutdownNow();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void everythingElseGoesOn(Port port, boolean asError) throws Exception {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(1000)
                        .queueCapacity(8)
                        .maxLease(LEASE)
                        .leaseMargin(Duration.ofMillis(100))
                        .reclaimInterval(Duration.ofMillis(20))
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(() -> injectInto(task), delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        ComputeNode a = join();
        ComputeNode b = join();
        a.acquire(PATIENT).close();
        error = asError;
        times = port == Port.POST || port == Port.HEARTBEAT ? 1 : Integer.MAX_VALUE;
        broken = port;

        useEverything(a, b);
        dieSilently();
        awaitTrue(() -> memoryNode.status().sessions().size() == 2, "the dead session is expelled");
        b.acquire(PATIENT).close();
        a.acquire(PATIENT).close();
        if (port != Port.RECLAIM_LISTENER) {
            awaitTrue(() -> memoryNode.status().recordsInUse() == 0, "idle records are taken back");
        }
        awaitTrue(() -> thrown.get() > 0, "the fault was injected");
        a.acquire(PATIENT).close();
        assertThat(memoryNode.status().stalled()).isEmpty();
    }

    private void useEverything(ComputeNode a, ComputeNode b) throws Exception {
        for (ComputeNode node : List.of(a, b)) {
            quietly(() -> node.acquire(PATIENT).close());
            quietly(() -> {
                LockHandle held = node.acquire(PATIENT);
                node.acquireAsync(LockRequest.write("x").waitTime(Duration.ofMillis(1)), LockOwner.named("other"))
                        .handle((handle, failure) -> failure)
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS);
                held.close();
            });
            quietly(() -> {
                LockHandle lost = node.acquire(PATIENT.leaseTime(Duration.ofMillis(20)), LockOwner.named("loses"));
                CountDownLatch told = new CountDownLatch(1);
                // One listener: another might be called after the handle was closed, and would not be told then.
                lost.onLost((handle, why) -> {
                    told.countDown();
                    inject(Port.LOST_LISTENER);
                });
                assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
                // While it is not released its name stays in use.
                assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);
            });
        }
    }

    /** A session that never sends a heartbeat. */
    private void dieSilently() throws Exception {
        memoryNode.join(new JoinRequest(77, 1, "dies", "", 0, LEASE.toNanos()), new SessionListener() {
            @Override
            public void membershipChanged(Membership membership) {}

            @Override
            public void peerMessage(PeerMessage message) {}

            @Override
            public void reclaimProposed(long round, long[] records) {}

            @Override
            public void lost(FabricException cause) {
                inject(Port.SESSION_END_LISTENER);
            }
        });
    }

    private interface Step {
        void run() throws Exception;
    }

    /** The caller that caused the fault may get it as an exception. */
    private void quietly(Step step) throws Exception {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            if (!String.valueOf(e.getMessage()).contains("injected")) {
                throw e;
            }
        }
    }

    private void inject(Port port) {
        if (broken == port && times-- > 0) {
            thrown.incrementAndGet();
            if (error) {
                throw new StackOverflowError("injected");
            }
            throw new IllegalStateException("injected");
        }
    }

    private void injectInto(Runnable task) {
        try {
            task.run();
        } finally {
            inject(Port.TIMER_TASK);
        }
    }

    private static void awaitTrue(BooleanSupplier condition, String what) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private ComputeNode join() throws InterruptedException {
        NodeCounters counters = new NodeCounters();
        InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(fabric.address()))
                .fabric(new FaultyFabric(fabric))
                .counters(counters)
                .observer(new FaultyObserver())
                .settings(ComputeNodeSettings.builder()
                        .lease(LEASE)
                        .heartbeatInterval(Duration.ofMillis(50))
                        .leaseMargin(Duration.ofMillis(50))
                        .build())
                .build();
        nodes.add(node);
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
        return node;
    }

    private final class FaultyObserver implements LockObserver {
        @Override
        public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
            inject(Port.OBSERVER_GRANTED);
        }

        @Override
        public void released(String name, LockMode mode, long heldNanos) {
            inject(Port.OBSERVER_RELEASED);
        }

        @Override
        public void notGranted(String name, LockMode mode, Outcome outcome, long waitNanos) {
            inject(Port.OBSERVER_NOT_GRANTED);
        }

        @Override
        public void lost(String name, LockMode mode) {
            inject(Port.OBSERVER_LOST);
        }
    }

    private final class FaultyFabric extends ForwardingFabric {
        FaultyFabric(Fabric fabric) {
            super(fabric);
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            return super.join(address, request, new FaultyListener(listener)).thenApply(FaultySession::new);
        }
    }

    private final class FaultyListener implements SessionListener {
        private final SessionListener listener;

        FaultyListener(SessionListener listener) {
            this.listener = listener;
        }

        @Override
        public void membershipChanged(Membership membership) {
            inject(Port.MEMBERSHIP_LISTENER);
            listener.membershipChanged(membership);
        }

        @Override
        public void peerMessage(PeerMessage message) {
            listener.peerMessage(message);
        }

        @Override
        public void reclaimProposed(long round, long[] records) {
            inject(Port.RECLAIM_LISTENER);
            listener.reclaimProposed(round, records);
        }

        @Override
        public void lost(FabricException cause) {
            listener.lost(cause);
        }
    }

    private final class FaultySession extends ForwardingSession {
        FaultySession(FabricSession session) {
            super(session);
        }

        @Override
        public void post(VerbChain chain) {
            inject(Port.POST);
            super.post(chain);
        }

        @Override
        public ControlPlane control() {
            inject(Port.HEARTBEAT);
            return super.control();
        }
    }
}
