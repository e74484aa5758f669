// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeMonitor;
import io.declock.DecLockException;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockView;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.test.shop.Shop;
import io.declock.spring.test.shop.ShopApplication;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(
        classes = ShopApplication.class,
        // So that whatever waits for the end of a lease is seen to be too late.
        properties = {"declock.lease=30s", "declock.fail-fast=true", "declock.resilience.retry.enabled=false"})
@Timeout(60)
class TestLocksTests {
    private static final LockRequest AT_ONCE = LockRequest.write("order:42").waitTime(Duration.ZERO);

    @Autowired
    private TestLocks testLocks;

    @Autowired
    private DistributedReadWriteLock locks;

    @Autowired
    private Shop shop;

    @Autowired
    private CompositeHealthContributor declockHealthContributor;

    @AfterEach
    void reset() {
        testLocks.reset();
    }

    private CompletableFuture<LockHandle> asynchronously(String name) {
        return locks.acquireAsync(LockRequest.write(name), LockOwner.named("job"))
                .toCompletableFuture();
    }

    // ---------------------------------------------------------------- looking

    @Test
    void showsWhatTheApplicationHoldsAndWaitsFor() throws Exception {
        assertThat(testLocks.held()).isEmpty();
        try (LockHandle handle = locks.acquire(LockRequest.read("report").andWrite("order:42"))) {
            CompletableFuture<LockHandle> waiting = asynchronously("report");
            assertThat(testLocks.held())
                    .extracting(LockView::name, LockView::mode, LockView::owner)
                    .containsExactlyInAnyOrder(
                            tuple(
                                    "report",
                                    LockMode.READ,
                                    Thread.currentThread().getName()),
                            tuple(
                                    "order:42",
                                    LockMode.WRITE,
                                    Thread.currentThread().getName()));
            assertThat(testLocks.waiting())
                    .singleElement()
                    .satisfies(view -> assertThat(view.owner()).isEqualTo("job"));
            handle.close();
            waiting.get(10, TimeUnit.SECONDS).close();
        }
        assertThat(testLocks.held()).isEmpty();
    }

    // ---------------------------------------------------------------- locks that stay taken

    @Test
    void resetFreesALockThatStaysTaken() throws Exception {
        locks.acquire(AT_ONCE.holdAtLeast(Duration.ofHours(1))).close();
        assertThat(testLocks.held()).as("nobody holds it").isEmpty();
        assertThat(shop.tryShip(42)).isEqualTo("later");
        testLocks.reset();
        assertThat(shop.tryShip(42)).isEqualTo("shipped");
    }

    @Test
    void resetFreesALockThatOutlastedTheApplicationsSession() throws Exception {
        locks.acquire(AT_ONCE.holdAtLeast(Duration.ofHours(1))).close();
        testLocks.loseAll();
        assertThat(shop.tryShip(42)).isEqualTo("later");
        testLocks.reset();
        assertThat(shop.tryShip(42)).isEqualTo("shipped");
    }

    // ---------------------------------------------------------------- another instance

    @Test
    void aLockThatAnotherInstanceHoldsIsBusy() throws Exception {
        try (LockHandle elsewhere = testLocks.holdElsewhere("order:42")) {
            assertThat(elsewhere.isValid()).isTrue();
            assertThat(testLocks.held()).isEmpty();
            assertThat(shop.tryShip(42)).isEqualTo("later");
            assertThat(shop.tryShip(43)).isEqualTo("shipped");
        }
        assertThat(shop.tryShip(42)).isEqualTo("shipped");
    }

    @Test
    void anotherInstanceHandsTheLockOverToACallerThatWaits() throws Exception {
        CompletableFuture<LockHandle> waiting;
        try (LockHandle elsewhere = testLocks.holdElsewhere("order:42")) {
            waiting = asynchronously("order:42");
            await().until(() -> testLocks.waiting().size() == 1);
            assertThat(waiting).isNotDone();
        }
        waiting.get(10, TimeUnit.SECONDS).close();
    }

    @Test
    void anotherInstanceReadsAtTheSameTime() throws Exception {
        try (LockHandle elsewhere = testLocks.holdElsewhere(LockRequest.read("order:42"));
                LockHandle here = locks.acquire(LockRequest.read("order:42").waitTime(Duration.ofSeconds(5)))) {
            assertThat(here.isValid()).isTrue();
            assertThat(locks.tryAcquire(AT_ONCE)).isEmpty();
        }
    }

    @Test
    void whatTheApplicationHoldsIsBusyElsewhere() throws Exception {
        try (LockHandle here = locks.acquire(AT_ONCE)) {
            assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(() -> testLocks.holdElsewhere(AT_ONCE));
            assertThat(here.isValid()).isTrue();
        }
    }

    // ---------------------------------------------------------------- losing

    @Test
    void aLockIsLostAndOthersAreKept() throws Exception {
        LockHandle handle = locks.acquire(AT_ONCE);
        CountDownLatch told = new CountDownLatch(1);
        handle.onLost((lost, why) -> told.countDown());
        try (LockHandle other = locks.acquire(LockRequest.write("order:43"))) {
            testLocks.lose("order:42");

            assertThat(handle.isValid()).isFalse();
            assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
            testLocks.holdElsewhere("order:42").close();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(handle::close)
                    .withMessageContaining("TestLocks.lose");
            assertThat(other.isValid()).isTrue();
        }
        locks.acquire(AT_ONCE).close();
    }

    @Test
    void aLockedMethodThatLosesItsLockThrows() {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> shop.ship(42, () -> testLocks.lose("order:42")))
                .withMessageContaining("order:42");
        assertThat(shop.ship(42, () -> {})).isEqualTo("shipped");
    }

    @Test
    void aLockThatIsNotHeldCannotBeLost() throws Exception {
        try (LockHandle handle = locks.acquire(LockRequest.write("order:43"))) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> testLocks.lose("order:42"))
                    .withMessageContaining("'order:42'")
                    .withMessageContaining("[order:43]");
            assertThat(handle.isValid()).isTrue();
        }
    }

    @Test
    void everyLockIsLostWithItsSessionAndTheApplicationJoinsAgain() throws Exception {
        int before = session();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> shop.ship(
                        42,
                        () -> shop.ship(43, () -> {
                            testLocks.loseAll();
                            assertThat(testLocks.held()).isEmpty();
                            // Long before the lease has run out.
                            testLocks
                                    .holdElsewhere(LockRequest.write("order:42").andWrite("order:43"))
                                    .close();
                        })));
        assertThat(session()).isGreaterThan(before);
        assertThat(shop.tryShip(42)).isEqualTo("shipped");
        assertThat(shop.tryShip(43)).isEqualTo("shipped");
    }

    @Test
    void afterTheLossOfAllLocksACallerThatDoesNotWaitIsGrantedOne() throws Exception {
        LockHandle handle = locks.acquire(AT_ONCE);
        testLocks.loseAll();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(handle::close)
                .withMessageContaining("TestLocks.loseAll");
        locks.acquire(AT_ONCE).close();
    }

    private int session() {
        return monitor.memoryNodes().get(0).incarnation();
    }

    @Autowired
    private ComputeNodeMonitor monitor;

    // ---------------------------------------------------------------- an unavailable memory node

    @Test
    void whileTheMemoryNodeIsUnavailableNothingIsAcquiredAndHealthIsDown() throws Exception {
        LockHandle lost = locks.acquire(AT_ONCE);
        LockHandle elsewhere = testLocks.holdElsewhere("order:43");
        assertThat(health()).isEqualTo(Status.UP);

        try (TestLocks.Outage outage = testLocks.unavailable()) {
            assertThat(lost.isValid()).isFalse();
            assertThatExceptionOfType(MemoryNodeUnavailableException.class).isThrownBy(() -> shop.tryShip(44));
            assertThat(health()).isEqualTo(Status.DOWN);
            assertThat(elsewhere.isValid()).isTrue();
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(testLocks::unavailable);
        }

        assertThat(health()).isEqualTo(Status.UP);
        // Without waiting.
        assertThat(shop.tryShip(44)).isEqualTo("shipped");
        assertThat(shop.tryShip(43)).isEqualTo("later");
        elsewhere.close();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
        locks.acquire(AT_ONCE).close();
    }

    private Status health() {
        HealthIndicator embedded = (HealthIndicator) declockHealthContributor.getContributor("embedded");
        return embedded.health(false).getStatus();
    }

    // ---------------------------------------------------------------- beginning anew

    @Test
    void resetMakesEveryLockFree() throws Exception {
        LockHandle held = locks.acquire(AT_ONCE);
        LockHandle lost = locks.acquire(LockRequest.write("order:43"));
        testLocks.lose("order:43");
        LockHandle elsewhere = testLocks.holdElsewhere("order:44");
        CompletableFuture<LockHandle> waiting = asynchronously("order:44");

        testLocks.reset();

        assertThat(held.isValid()).isFalse();
        assertThat(elsewhere.isValid()).isFalse();
        assertThat(waiting)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(DecLockException.class);
        LockHandle all = testLocks.holdElsewhere(
                LockRequest.write("order:42").andWrite("order:43").andWrite("order:44"));
        all.close();
        // The thread has not released what it lost.
        try (LockHandle again = locks.acquire(AT_ONCE.andWrite("order:43"))) {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
            assertThat(again.isValid()).isTrue();
        }
    }

    @Test
    void resetEndsAnOutage() {
        testLocks.unavailable();
        testLocks.reset();
        assertThat(shop.tryShip(42)).isEqualTo("shipped");
    }
}
