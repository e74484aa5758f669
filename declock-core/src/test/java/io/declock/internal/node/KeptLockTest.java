// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.Counters.Event;
import io.declock.CqlSettings;
import io.declock.KeepSettings;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.Purpose;
import io.declock.internal.monitor.NodeCounters;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules K1 to K6: a lock that one process takes again and again costs nothing, and another process gets it at once. */
@Timeout(60)
class KeptLockTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final LockRequest WRITE = LockRequest.write("job").waitTime(SOON);
    private static final LockRequest AT_ONCE = WRITE.waitTime(Duration.ZERO);
    private static final LockOwner OWNER = LockOwner.named("owner");

    private LockRig rig;
    private ComputeNode first;
    private ComputeNode second;
    private NodeCounters counters;

    private static KeepSettings keeping(Duration idle) {
        return KeepSettings.builder().idle(idle).build();
    }

    private void start(boolean overTcp) throws IOException, InterruptedException {
        start(overTcp, keeping(LONG));
    }

    private void start(boolean overTcp, KeepSettings keep) throws IOException, InterruptedException {
        rig = overTcp ? LockRig.overTcp(settings -> {}) : LockRig.inProcess();
        first = join(keep);
        second = join(keep);
        counters = rig.counters(first);
    }

    // Without self-checks nothing but the messages and marks lets another one in.
    private ComputeNode join(KeepSettings keep) throws InterruptedException {
        return rig.join(builder -> builder.settings(ComputeNodeSettings.builder()
                .keep(keep)
                .cql(CqlSettings.builder().selfCheckInterval(LONG).build())
                .build()));
    }

    @AfterEach
    void end() {
        rig.close();
    }

    private static long take(ComputeNode node, int times) throws InterruptedException {
        long last = 0;
        for (int i = 0; i < times; i++) {
            try (LockHandle held = node.acquire(WRITE, OWNER)) {
                assertThat(held.fencingToken()).isGreaterThan(last);
                last = held.fencingToken();
            }
        }
        return last;
    }

    private long verbs() {
        long sum = 0;
        for (Purpose purpose : Purpose.values()) {
            sum += counters.verbs(purpose);
        }
        return sum;
    }

    private Map<Purpose, Long> byPurpose() {
        Map<Purpose, Long> all = new EnumMap<>(Purpose.class);
        for (Purpose purpose : Purpose.values()) {
            all.put(purpose, counters.verbs(purpose));
        }
        return all;
    }

    private void awaitKept() {
        await().atMost(SOON).until(() -> counters.get(Event.KEPT) > 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSameLockAgainCostsNoRemoteOperation(boolean overTcp) throws Exception {
        start(overTcp);
        take(first, 10);
        awaitKept();
        long before = verbs();
        long positions = counters.get(Event.REMOTE_ACQUISITION);
        take(first, 20_000);
        assertThat(counters.get(Event.REMOTE_ACQUISITION))
                .as("it is renewed before its tokens are used up")
                .isEqualTo(positions);
        // Eight slots have 1,024 tokens, and half of them are used before a WRITE and a CAS bring more; and the queue
        // is looked at a hundred
        // times a second, in case a message is lost.
        assertThat(verbs() - before)
                .as(() -> "operations for 20,000 acquisitions: " + byPurpose())
                .isLessThan(500);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tokensRiseWhileItIsRenewedAndTakenOver(boolean overTcp) throws Exception {
        start(overTcp);
        AtomicLong last = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> again = CompletableFuture.runAsync(
                () -> {
                    while (!over.get()) {
                        rise(first, last);
                    }
                },
                task -> new Thread(task).start());
        for (int i = 0; i < 200; i++) {
            long seen = last.get();
            await().atMost(SOON).pollInterval(Duration.ofMillis(1)).until(() -> last.get() != seen);
            rise(second, last);
        }
        over.set(true);
        again.get(10, TimeUnit.SECONDS);
    }

    private static void rise(ComputeNode node, AtomicLong last) {
        try (LockHandle held = node.acquire(WRITE, OWNER)) {
            assertThat(held.fencingToken()).isGreaterThan(last.getAndSet(held.fencingToken()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherProcessGetsItAtOnce(boolean overTcp) throws Exception {
        start(overTcp);
        long token = take(first, 1000);
        awaitKept();
        assertThat(take(second, 1)).isGreaterThan(token);
        assertThat(counters.get(Event.KEPT_WANTED)).isPositive();
        assertThat(take(first, 1)).isGreaterThan(token);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherProcessThatDoesNotWaitGetsIt(boolean overTcp) throws Exception {
        start(overTcp);
        long token = take(first, 1000);
        awaitKept();
        try (LockHandle held =
                second.acquireAsync(AT_ONCE, OWNER).toCompletableFuture().get(10, TimeUnit.SECONDS)) {
            assertThat(held.fencingToken()).isGreaterThan(token);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsInUseIsNotGivenToOneWhoDoesNotWait(boolean overTcp) throws Exception {
        start(overTcp);
        take(first, 1000);
        awaitKept();
        try (LockHandle held = first.acquire(WRITE, OWNER)) {
            assertThat(second.tryAcquire(AT_ONCE)).isEmpty();
            assertThat(held.isValid()).isTrue();
        }
        try (LockHandle held = second.tryAcquire(AT_ONCE).orElseThrow()) {
            assertThat(held.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneThatComesDuringAHoldIsNextWhenItEnds(boolean overTcp) throws Exception {
        start(overTcp);
        take(first, 1000);
        awaitKept();
        CompletableFuture<LockHandle> next;
        try (LockHandle held = first.acquire(WRITE, OWNER)) {
            next = second.acquireAsync(WRITE, OWNER).toCompletableFuture();
            await().atMost(SOON).until(() -> counters.get(Event.KEPT_WANTED) > 0);
            assertThat(next).isNotDone();
            assertThat(held.isValid()).isTrue();
        }
        next.get(10, TimeUnit.SECONDS).close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itIsGivenBackWhenItWasNotUsedForLong(boolean overTcp) throws Exception {
        start(overTcp, keeping(Duration.ofMillis(50)));
        take(first, 10);
        awaitKept();
        await().atMost(SOON).until(() -> !LockRig.lock(first, "job").hasPosition());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itIsGivenBackWhenTheProcessLeaves(boolean overTcp) throws Exception {
        start(overTcp);
        take(first, 10);
        awaitKept();
        long releases = counters.verbs(Purpose.RELEASE);
        first.close();
        assertThat(counters.verbs(Purpose.RELEASE)).isGreaterThan(releases);
        take(second, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoProcessesThatTakeItInTurnGetItFairly(boolean overTcp) throws Exception {
        start(overTcp);
        for (int i = 0; i < 300; i++) {
            take(i % 2 == 0 ? first : second, 1 + i % 7);
        }
    }
}
