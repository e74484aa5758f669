// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.DecLockException;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks that the tests of an application take away from it. */
@Timeout(60)
class TakenAwayTest {
    private static final LockOwner OTHER = LockOwner.named("other");
    private LockRig rig;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.inProcess();
        node = rig.join();
    }

    @AfterEach
    void end() {
        rig.close();
    }

    private LocalLock lock() {
        LocalLock lock = LockRig.lock(node, "x");
        assertThat(lock).isNotNull();
        return lock;
    }

    private static List<Hold> holds(LocalLock lock) {
        List<Hold> holds = new ArrayList<>();
        lock.visit(new LocalLock.Visitor() {
            @Override
            public void hold(Hold hold, boolean exclusive) {
                holds.add(hold);
            }

            @Override
            public void waiter(LocalWaiter waiter, long since, int position) {}
        });
        return holds;
    }

    @Test
    void aHoldThatIsLostOnPurposeIsLostAsByItsCeilingAndTheNextWaiterIsGranted() throws Exception {
        LockHandle handle = node.acquire(LockRequest.write("x"));
        CountDownLatch told = new CountDownLatch(1);
        handle.onLost((lost, why) -> told.countDown());
        CompletableFuture<LockHandle> next =
                node.acquireAsync(LockRequest.write("x"), OTHER).toCompletableFuture();
        assertThat(next).isNotDone();

        lock().loseHolds("on purpose");

        assertThat(handle.isValid()).isFalse();
        assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
        next.get(20, TimeUnit.SECONDS).close();
        // Rule O6: it has to release what it lost first.
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> node.acquire(LockRequest.write("x")));
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(handle::close)
                .withMessageContaining("'x' was lost: on purpose");
        node.acquire(LockRequest.write("x")).close();
    }

    @Test
    void aVacatedLockIsFreeForItsFormerOwnersToo() throws Exception {
        LockHandle handle = node.acquire(LockRequest.write("x"));
        CompletableFuture<LockHandle> waiting =
                node.acquireAsync(LockRequest.write("x"), OTHER).toCompletableFuture();
        assertThat(waiting).isNotDone();

        lock().vacate("on purpose");

        assertThat(handle.isValid()).isFalse();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
                .withCauseInstanceOf(DecLockException.class)
                .withMessageContaining("'x' was not acquired: on purpose");
        LockHandle again = node.acquire(LockRequest.write("x").waitTime(Duration.ZERO));
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(handle::close)
                .withMessageContaining("on purpose");
        assertThat(again.isValid()).isTrue();
        again.close();
        assertThat(node.monitor().heldNow()).isZero();
    }

    @Test
    void vacatingForgetsWhatWasLostBeforeAndNotReleased() throws Exception {
        LockHandle handle = node.acquire(LockRequest.write("x"));
        lock().loseHolds("on purpose");

        lock().vacate("on purpose");

        node.acquire(LockRequest.write("x").waitTime(Duration.ZERO)).close();
        assertThat(handle.isValid()).isFalse();
    }

    @Test
    void anOwnerThatUnlocksAVacatedLockThroughItsViewReleasesNothing() throws Exception {
        node.lock("x").writeLock().lock();
        lock().vacate("on purpose");
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> node.lock("x").writeLock().unlock());
        node.acquire(LockRequest.write("x").waitTime(Duration.ZERO)).close();
    }
}
