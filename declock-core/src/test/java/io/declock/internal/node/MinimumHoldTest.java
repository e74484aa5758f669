// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.ComputeNodeSettings;
import io.declock.Counters.Event;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.spi.ControlPlane;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.ForwardingFabric;
import io.declock.spi.ForwardingSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks that stay taken for a while after their method ended, also when the process leaves or dies (rules R1 to R4). */
@Tag("slow")
@Timeout(60)
class MinimumHoldTest {
    private static final LockOwner OWNER = LockOwner.named("job");
    private static final Duration LEASE = Duration.ofMillis(600);
    private static final Duration LEAST = Duration.ofMillis(1500);
    private static final LockRequest JOB =
            LockRequest.write("job").waitTime(Duration.ZERO).holdAtLeast(LEAST);

    private static LockRig rig() throws Exception {
        return LockRig.overTcp(settings -> settings.maxLease(LEASE).leaseMargin(Duration.ofMillis(50)));
    }

    private static void withShortLease(ComputeNode.Builder builder) {
        builder.settings(ComputeNodeSettings.builder()
                .lease(LEASE)
                .heartbeatInterval(LEASE.dividedBy(5))
                .leaseMargin(LEASE.dividedBy(5))
                .build());
    }

    /** Waits for the lock, and returns how long after the start it was granted. */
    private static Duration takenFor(ComputeNode waiting, long since) throws InterruptedException {
        try (LockHandle handle = waiting.acquire(LockRequest.write("job"), OWNER)) {
            assertThat(handle.isValid()).isTrue();
            return Duration.ofNanos(System.nanoTime() - since);
        }
    }

    @Test
    void aLockStaysTakenAfterItsHandleWasClosed() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            long since = System.nanoTime();
            LockHandle job = first.tryAcquire(JOB).orElseThrow();
            job.close();
            assertThat(job.isValid()).isFalse();
            // Not even the same thread, which would enter a lock that it holds.
            assertThat(first.tryAcquire(JOB)).isEmpty();
            assertThat(second.tryAcquire(JOB)).isEmpty();
            assertThat(takenFor(second, since)).isBetween(LEAST, LEAST.plusSeconds(2));
        }
    }

    @Test
    void aLockThatIsHeldLongerIsReleasedWithItsHandle() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            LockHandle job =
                    first.tryAcquire(JOB.holdAtLeast(Duration.ofMillis(100))).orElseThrow();
            TimeUnit.MILLISECONDS.sleep(400);
            assertThat(second.tryAcquire(JOB)).isEmpty();
            assertThat(job.isValid()).isTrue();
            job.close();
            assertThat(takenFor(second, System.nanoTime())).isLessThan(LEAST);
        }
    }

    @Test
    void aLockStaysTakenWhenItsProcessLeaves() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            long since = System.nanoTime();
            LockHandle job = first.tryAcquire(JOB).orElseThrow();
            long token = job.fencingToken();
            job.close();
            first.close();
            assertThat(Duration.ofNanos(System.nanoTime() - since))
                    .as("leaving does not wait for the time")
                    .isLessThan(LEAST);
            assertThat(second.tryAcquire(JOB)).isEmpty();
            CompletableFuture<LockHandle> queued =
                    second.acquireAsync(LockRequest.write("job"), OWNER).toCompletableFuture();
            LockHandle next = queued.get(20, TimeUnit.SECONDS);
            assertThat(Duration.ofNanos(System.nanoTime() - since)).isBetween(LEAST, LEAST.plusSeconds(2));
            assertThat(next.fencingToken()).isGreaterThan(token);
            next.close();
            // The position of the one that left is gone, once.
            for (int i = 0; i < 3; i++) {
                second.tryAcquire(LockRequest.write("job").waitTime(Duration.ZERO))
                        .orElseThrow()
                        .close();
            }
        }
    }

    @Test
    void aTryGetsTheLockAtOnceWhenTheTimeOfAProcessThatLeftIsOver() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            long since = System.nanoTime();
            first.tryAcquire(JOB).orElseThrow().close();
            long noted = System.nanoTime();
            first.close();
            while (System.nanoTime() - since < LEAST.toNanos()) {
                assertThat(second.tryAcquire(JOB).isPresent() && System.nanoTime() - since < LEAST.toNanos())
                        .isFalse();
                TimeUnit.MILLISECONDS.sleep(20);
            }
            long left = LEAST.toNanos() + TimeUnit.MILLISECONDS.toNanos(200) - (System.nanoTime() - noted);
            TimeUnit.NANOSECONDS.sleep(Math.max(0, left));
            assertThat(second.tryAcquire(JOB)).isPresent();
        }
    }

    @Test
    void aLockStaysTakenWhenItsProcessDies() throws Exception {
        try (LockRig rig = rig();
                TcpProxy proxy = new TcpProxy(rig.port())) {
            ComputeNode first = rig.joinBy(proxy.port(), MinimumHoldTest::withShortLease);
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            ComputeNode third = rig.join(MinimumHoldTest::withShortLease);
            long since = System.nanoTime();
            LockHandle job =
                    first.tryAcquire(JOB.holdAtLeast(LEAST.multipliedBy(2))).orElseThrow();
            proxy.set(Flow.LOST);
            List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
            for (ComputeNode node : List.of(second, third)) {
                waiting.add(node.acquireAsync(LockRequest.write("job"), OWNER).toCompletableFuture());
            }
            CompletableFuture.anyOf(waiting.toArray(CompletableFuture<?>[]::new))
                    .get(20, TimeUnit.SECONDS);
            Duration took = Duration.ofNanos(System.nanoTime() - since);
            assertThat(took)
                    .isBetween(LEAST.multipliedBy(2), LEAST.multipliedBy(2).plusSeconds(2));
            assertThat(job.isValid()).isFalse();
            // One holds it, and the other one gets it next.
            assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(1);
            waiting.stream()
                    .filter(CompletableFuture::isDone)
                    .forEach(one -> one.join().close());
            for (CompletableFuture<LockHandle> one : waiting) {
                one.get(20, TimeUnit.SECONDS).close();
            }
        }
    }

    /** The next life of the memory node does not know the reservation until it is told (rule R1). */
    @Test
    void aLockThatWasRestoredStaysTakenWhenItsProcessDies() throws Exception {
        try (LockRig rig =
                        LockRig.restartable(settings -> settings.maxLease(LEASE).leaseMargin(Duration.ofMillis(50)));
                TcpProxy proxy = new TcpProxy(rig.port())) {
            ComputeNode first = rig.joinBy(proxy.port(), MinimumHoldTest::withShortLease);
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            Duration least = LEAST.multipliedBy(3);
            long since = System.nanoTime();
            LockHandle job = first.acquire(JOB.holdAtLeast(least), OWNER);
            rig.restartMemoryNode();
            while (rig.counters(first).get(Event.HOLD_RESTORED) == 0) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            // A shorter one changes nothing, and is noted after it.
            first.acquire(JOB.holdAtLeast(Duration.ofMillis(1)), OWNER);
            assertThat(job.isValid()).isTrue();
            proxy.set(Flow.LOST);
            assertThat(takenFor(second, since)).isBetween(least, least.plusSeconds(2));
        }
    }

    @Test
    void aCeilingEndsTheHandleAndNotTheMinimum() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            long since = System.nanoTime();
            LockHandle job = first.acquire(JOB.leaseTime(Duration.ofMillis(200)), OWNER);
            CompletableFuture<Boolean> lost = new CompletableFuture<>();
            job.onLost((handle, why) -> lost.complete(true));
            lost.get(5, TimeUnit.SECONDS);
            assertThat(second.tryAcquire(JOB)).isEmpty();
            assertThatThrownBy(job::close).hasMessageContaining("lease time");
            assertThat(takenFor(second, since)).isGreaterThanOrEqualTo(LEAST);
        }
    }

    @Test
    void nestedAcquisitionsAddUp() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            long since = System.nanoTime();
            try (LockHandle outer = first.acquire(LockRequest.write("job"), OWNER);
                    LockHandle inner = first.acquire(JOB, OWNER);
                    LockHandle innermost = first.acquire(JOB.holdAtLeast(Duration.ofMillis(50)), OWNER)) {
                assertThat(innermost.fencingToken()).isEqualTo(outer.fencingToken());
                inner.close();
                assertThat(outer.isValid()).isTrue();
            }
            assertThat(takenFor(second, since)).isBetween(LEAST, LEAST.plusSeconds(2));
        }
    }

    @Test
    void severalNamesStayTakenTogether() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            first.acquireAsync(LockRequest.write("a").andWrite("b").holdAtLeast(LEAST), OWNER)
                    .toCompletableFuture()
                    .get(5, TimeUnit.SECONDS)
                    .close();
            assertThat(second.tryAcquire(LockRequest.write("a").waitTime(Duration.ZERO)))
                    .isEmpty();
            assertThat(second.tryAcquire(LockRequest.write("b").waitTime(Duration.ZERO)))
                    .isEmpty();
        }
    }

    /** What a caller does when it has the lock may take longer than a lease. */
    @Test
    void aCallersCodeRunsOnNoThreadOfTheFabric() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            CompletableFuture<String> thread = new CompletableFuture<>();
            first.acquireAsync(JOB, OWNER).thenAccept(handle -> {
                thread.complete(Thread.currentThread().getName());
                handle.close();
            });
            assertThat(thread.get(20, TimeUnit.SECONDS)).doesNotStartWith("declock-tcp");
        }
    }

    @Test
    void aFailedNestedAcquisitionLeavesTheMinimumOfTheOthers() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            ComputeNode second = rig.join(MinimumHoldTest::withShortLease);
            long since = System.nanoTime();
            LockHandle outer = first.acquire(JOB, OWNER);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> first.acquire(JOB.holdAtLeast(LEAST.multipliedBy(9)), OWNER))
                    .isInstanceOf(InterruptedException.class);
            outer.close();
            assertThat(takenFor(second, since)).isBetween(LEAST, LEAST.multipliedBy(4));
        }
    }

    @Test
    void theCeilingOfTheFirstAcquisitionEndsNestedOnes() throws Exception {
        try (LockRig rig = rig()) {
            ComputeNode first = rig.join(MinimumHoldTest::withShortLease);
            LockHandle outer =
                    first.acquire(JOB.holdAtLeast(Duration.ofMillis(100)).leaseTime(Duration.ofMillis(300)), OWNER);
            LockHandle inner = first.acquire(LockRequest.write("job"), OWNER);
            TimeUnit.MILLISECONDS.sleep(400);
            assertThat(outer.isValid()).isFalse();
            assertThat(inner.isValid()).isFalse();
        }
    }

    /** A fabric whose memory nodes take longer to note a minimum than the lock is held. */
    private static final class SlowToNote extends ForwardingFabric {
        SlowToNote(Fabric real) {
            super(real);
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            return super.join(address, request, listener).thenApply(joined -> new ForwardingSession(joined) {
                @Override
                public ControlPlane control() {
                    ControlPlane real = super.control();
                    return (ControlPlane) Proxy.newProxyInstance(
                            ControlPlane.class.getClassLoader(),
                            new Class<?>[] {ControlPlane.class},
                            (self, method, given) -> {
                                Object answer = method.invoke(real, given);
                                return method.getName().equals("reserve") ? later((CompletionStage<?>) answer) : answer;
                            });
                }
            });
        }

        private static CompletionStage<?> later(CompletionStage<?> answer) {
            return answer.thenApplyAsync(done -> done, CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));
        }
    }

    @Test
    void aLockThatIsLostWhileTheMemoryNodeNotesItIsNotReturned() throws Exception {
        try (LockRig rig = LockRig.inProcess()) {
            ComputeNode node = rig.ready(rig.node(SlowToNote::new, builder -> {}));
            assertThatThrownBy(() -> node.acquire(JOB.leaseTime(Duration.ofMillis(100)), OWNER))
                    .isInstanceOf(LockLostException.class)
                    .hasMessageContaining("[job]");
            node.acquire(LockRequest.write("job"), OWNER).close();
        }
    }

    @Test
    void aLockForReadingCannotStayTaken() {
        assertThatThrownBy(() -> LockRequest.read("x").holdAtLeast(LEAST)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> JOB.andRead("x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("WRITE");
        assertThatThrownBy(() -> JOB.holdAtLeast(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }
}
