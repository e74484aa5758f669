// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.CqlSettings;
import io.declock.LocalSettings;
import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.LockView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that come alternately to two processes are granted in that order, or pass each other within the bound (rule E5). */
@Timeout(60)
class ArrivalOrderTest {
    private static final String NAME = "queue";
    private static final int CALLERS = 24;
    private static final int BOUND = 3;
    /** Far more than what clocks of one machine are taken to differ. */
    private static final long GAP = 1_000_000;

    private LockRig rig;

    @BeforeEach
    void start() throws Exception {
        rig = LockRig.inProcess();
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void writersAreGrantedAsTheyCame() throws Exception {
        assertThat(order(0, mode -> LockMode.WRITE))
                .isEqualTo(IntStream.range(0, CALLERS).boxed().toList());
    }

    @Test
    void writersPassWithinTheBound() throws Exception {
        int bound = 2;
        assertPassedAtMost(bound, order(bound, caller -> LockMode.WRITE));
    }

    @Test
    void readersThatJoinPassWithinTheBound() throws Exception {
        int bound = 2;
        // The callers of a process alternate between writing and reading.
        assertPassedAtMost(bound, order(bound, caller -> caller % 4 < 2 ? LockMode.WRITE : LockMode.READ));
    }

    @Test
    void readersThatJoinReadersPassAnUnknownWriterWithinTheBound() throws Exception {
        assertThat(readersBeforeWriter(LockMode.READ)).isEqualTo(BOUND);
    }

    @Test
    void readersThatShareAHandOverPassAnUnknownWriterWithinTheBound() throws Exception {
        assertThat(readersBeforeWriter(LockMode.WRITE)).isEqualTo(BOUND);
    }

    @Test
    void beyondTheBoundReadersShareAtOnceIfALookShowsThatNobodyWaits() throws Exception {
        ComputeNode a = node(bounded(BOUND), Duration.ofHours(1));
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < 3 * BOUND; i++) {
            held.add(a.acquireAsync(LockRequest.read(NAME), LockOwner.named("reader-" + i))
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS));
            pause();
        }
        held.forEach(LockHandle::close);
    }

    /**
     * How many readers of one process are granted before a writer of another, which came before them while the first process held the lock
     * in that mode. Only the bound makes the first process look for the writer: it never looks on its own.
     */
    private int readersBeforeWriter(LockMode held) throws Exception {
        ComputeNode a = node(bounded(BOUND), Duration.ofHours(1));
        ComputeNode b = node(bounded(BOUND), Duration.ofHours(1));
        List<LockMode> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> done = new ArrayList<>();
        LockHandle first = a.acquire(LockRequest.of(NAME, held));
        done.add(granted(b, LockRequest.write(NAME), LockOwner.named("writer"), order));
        await(() -> waiting(b) == 1);
        pause();
        for (int i = 0; i < 3 * BOUND; i++) {
            done.add(granted(a, LockRequest.read(NAME), LockOwner.named("reader-" + i), order));
            pause();
        }
        first.close();
        for (CompletableFuture<Void> each : done) {
            each.get(30, TimeUnit.SECONDS);
        }
        return order.indexOf(LockMode.WRITE);
    }

    /** Notes the mode when it is granted, then releases. */
    private static CompletableFuture<Void> granted(
            ComputeNode node, LockRequest request, LockOwner owner, List<LockMode> order) {
        return node.acquireAsync(request, owner)
                .thenAccept(handle -> {
                    order.add(handle.mode());
                    handle.close();
                })
                .toCompletableFuture();
    }

    /** The bound is one for each time that a process has the lock: a reader's position does not serve the writer behind it. */
    private static void assertPassedAtMost(int bound, List<Integer> order) {
        for (int caller = 0; caller < CALLERS; caller++) {
            int laterOnes = 0;
            for (int other : order.subList(0, order.indexOf(caller))) {
                boolean sameProcess = other % 2 == caller % 2;
                laterOnes = sameProcess ? 0 : other > caller ? laterOnes + 1 : laterOnes;
                assertThat(laterOnes)
                        .as("caller %d was passed by %d in %s", caller, other, order)
                        .isLessThanOrEqualTo(bound + 1);
            }
        }
    }

    /** The order in which callers are granted that come alternately to two processes while the lock is held by the first. */
    private List<Integer> order(int bound, IntFunction<LockMode> mode) throws Exception {
        ComputeNode a = node(bounded(bound), CqlSettings.DEFAULTS.prefetchInterval());
        ComputeNode b = node(bounded(bound), CqlSettings.DEFAULTS.prefetchInterval());
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> done = new ArrayList<>();
        LockHandle first = a.acquire(LockRequest.write(NAME));
        for (int i = 0; i < CALLERS; i++) {
            int caller = i;
            ComputeNode node = i % 2 == 0 ? b : a;
            long waiting = waiting(node);
            done.add(node.acquireAsync(LockRequest.of(NAME, mode.apply(i)), LockOwner.named("caller-" + i))
                    .thenAccept(handle -> {
                        order.add(caller);
                        handle.close();
                    })
                    .toCompletableFuture());
            await(() -> waiting(node) > waiting);
            pause();
        }
        first.close();
        for (CompletableFuture<Void> each : done) {
            each.get(30, TimeUnit.SECONDS);
        }
        return List.copyOf(order);
    }

    private static void pause() {
        long came = System.nanoTime();
        await(() -> System.nanoTime() - came > GAP);
    }

    private static LocalSettings bounded(int bound) {
        return LocalSettings.builder()
                .localHandOverLimit(bound)
                .localHandOverTime(Duration.ofSeconds(10))
                .build();
    }

    private static long waiting(ComputeNode node) {
        return node.monitor().locks(1000).stream()
                .filter(view -> view.state() == LockView.State.WAITING)
                .count();
    }

    private ComputeNode node(LocalSettings local, Duration prefetchInterval) throws InterruptedException {
        return rig.join(builder -> builder.settings(ComputeNodeSettings.builder()
                .local(local)
                .cql(CqlSettings.builder().prefetchInterval(prefetchInterval).build())
                .build()));
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(100_000);
        }
    }
}
