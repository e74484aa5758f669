// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.FabricSession;
import io.declock.spi.ForwardingFabric;
import io.declock.spi.ForwardingSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.SessionListener;
import io.declock.spi.VerbChain;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a compute node leaves its memory node, in time that the test moves. */
class LeavingTest {
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Duration CHECK = Duration.ofMillis(5);

    private final ManualTime time = new ManualTime();
    private final Clocked waiting = new Clocked();
    private final MemoryNode memoryNode = MemoryNode.create(
            MemoryNodeSettings.builder("mn")
                    .records(8)
                    .queueCapacity(8)
                    .waitOutOldSessions(false)
                    .build(),
            time,
            time,
            () -> 7);
    private final SlowReleases fabric = new SlowReleases(InProcessFabric.open(memoryNode, new NodeCounters()));
    private final ComputeNode node = ComputeNode.builder()
            .memoryNodes(List.of(MemoryNodeAddress.parse("inprocess://mn")))
            .fabric(fabric)
            .settings(ComputeNodeSettings.DEFAULTS)
            .counters(new NodeCounters())
            .time(time, this::schedule, () -> 7)
            .withoutThreads(Runnable::run, waiting)
            .build();

    private int plannedChecks;

    private void schedule(long delay, Runnable task) {
        plannedChecks += delay == CHECK.toNanos() ? 1 : 0;
        time.schedule(delay, task);
    }

    /** Time passes while a caller waits, and a condition is checked again only after a signal. */
    private final class Clocked implements Waiting {
        boolean signalled;
        boolean interrupts;
        int checks;

        @Override
        public void signal() {
            signalled = true;
        }

        @Override
        public boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
            if (interrupts) {
                throw new InterruptedException();
            }
            long end = time.nanoTime() + nanos;
            boolean met = condition.getAsBoolean();
            while (!met && time.nanoTime() < end) {
                signalled = false;
                time.advance(MOMENT);
                if (signalled) {
                    checks++;
                    met = condition.getAsBoolean();
                }
            }
            return met;
        }
    }

    /** Keeps the chain of a release back until it is let go. */
    private static final class SlowReleases extends ForwardingFabric {
        boolean keeps;

        @Nullable
        Runnable kept;

        SlowReleases(InProcessFabric real) {
            super(real);
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            return super.join(address, request, listener).thenApply(joined -> new ForwardingSession(joined) {
                @Override
                public void post(VerbChain chain) {
                    if (keeps && chain.purpose() == Purpose.RELEASE) {
                        kept = () -> super.post(chain);
                    } else {
                        super.post(chain);
                    }
                }
            });
        }

        void letGo() {
            if (kept != null) {
                kept.run();
            }
        }
    }

    @BeforeEach
    void join() throws Exception {
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(10))).isTrue();
    }

    @AfterEach
    void stop() {
        memoryNode.close();
    }

    /** A release is under way. */
    private void release() throws Exception {
        LockHandle held = node.acquire(LockRequest.write("x"));
        fabric.keeps = true;
        held.close();
        assertThat(fabric.kept).isNotNull();
    }

    private int members() {
        return memoryNode.status().sessions().size();
    }

    @Test
    void aNodeWithoutAPositionLeavesAtOnce() throws Exception {
        node.acquire(LockRequest.write("x")).close();
        long began = time.nanoTime();
        node.close();
        assertThat(members()).isZero();
        assertThat(time.nanoTime()).isEqualTo(began);
    }

    @Test
    void aNodeThatGivesAPositionBackLeavesOnceThatHasLanded() throws Exception {
        release();
        long began = time.nanoTime();
        long landsAfter = Duration.ofMillis(42).toNanos();
        time.schedule(landsAfter, () -> {
            assertThat(members()).as("it has not left before").isEqualTo(1);
            fabric.letGo();
        });
        node.close();
        assertThat(members()).isZero();
        assertThat(time.nanoTime() - began)
                .isBetween(landsAfter, landsAfter + Duration.ofMillis(10).toNanos());
        assertThat(waiting.checks).as("it looks now and then").isGreaterThan(3);
    }

    @Test
    void oneCheckIsPlannedAtATimeHoweverOftenOthersSignal() throws Exception {
        release();
        for (int i = 1; i <= 40; i++) {
            time.schedule(i * MOMENT.toNanos(), waiting::signal);
        }
        time.schedule(Duration.ofMillis(41).toNanos(), fabric::letGo);
        plannedChecks = 0;
        node.close();
        assertThat(waiting.checks).isGreaterThanOrEqualTo(40);
        assertThat(plannedChecks).isBetween(8, 10);
    }

    @Test
    void aNodeWhosePositionStaysCountsAsDead() throws Exception {
        release();
        node.close();
        assertThat(members())
                .as("its position is there, so that it is a member until its lease is over")
                .isEqualTo(1);
    }

    @Test
    void aNodeThatHoldsALockDoesNotWaitForItsRelease() throws Exception {
        LockHandle held = node.acquire(LockRequest.write("x"));
        assertThat(held.isValid()).isTrue();
        long began = time.nanoTime();
        node.close();
        assertThat(members()).isEqualTo(1);
        assertThat(time.nanoTime()).isEqualTo(began);
        assertThat(held.isValid()).isFalse();
    }

    @Test
    void anInterruptedNodeOnlyEndsItsSession() throws Exception {
        node.acquire(LockRequest.write("x")).close();
        waiting.interrupts = true;
        node.close();
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        assertThat(members()).as("it has not left").isEqualTo(1);
        assertThat(node.monitor().memoryNodes())
                .allMatch(view -> view.leaseLeft().isZero());
    }
}
