// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.DecLockException;
import io.declock.GrantKind;
import io.declock.Guarded;
import io.declock.Guarded.Held;
import io.declock.KeepSettings;
import io.declock.LockLostException;
import io.declock.LockRequest;
import io.declock.Purpose;
import io.declock.ValueCodec;
import io.declock.Verb;
import io.declock.internal.local.LocalLock;
import io.declock.internal.memorynode.NodeCounts;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.PositionState;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Direction;
import io.declock.testkit.TcpProxy.Flow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that belong to locks, with real threads, in this process and over TCP (docs/guarded-values.md). */
@Timeout(60)
class GuardedValuesTest {
    private static final ValueCodec<String> TEXT = ValueCodec.text();

    private static LockRig rig(boolean tcp) throws Exception {
        return tcp ? LockRig.overTcp(settings -> {}) : LockRig.inProcess();
    }

    private static Guarded<String> text(ComputeNode node) {
        return node.guardedValues().of("x", TEXT);
    }

    private static ComputeNode last(LockRig rig) {
        return rig.nodes().get(rig.nodes().size() - 1);
    }

    private static long verbs(ComputeNode node) {
        long sum = 0;
        for (Purpose purpose : Purpose.values()) {
            for (Verb verb : Verb.values()) {
                sum += node.monitor().counters().verbs(purpose, verb);
            }
        }
        return sum;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theNextHolderSeesWhatTheLastOneHasStored(boolean tcp) throws Exception {
        try (LockRig rig = rig(tcp)) {
            ComputeNode a = rig.join(builder -> {});
            ComputeNode b = rig.join(builder -> {});
            assertThat(text(a).read()).isEmpty();
            long token;
            try (Held<String> held = text(a).acquire()) {
                assertThat(held.value()).isEmpty();
                assertThat(held.stored()).isEmpty();
                token = held.handle().fencingToken();
                held.set("one");
                assertThat(held.value()).contains("one");
            }
            try (Held<String> held = text(b).acquire()) {
                assertThat(held.value()).contains("one");
                assertThat(held.stored().orElseThrow())
                        .isEqualTo(new Guarded.Stored(token, a.settings().name()));
                held.clear();
            }
            assertThat(text(a).read()).isEmpty();
            assertThat(text(b).update(old -> old.orElse("none") + "!")).contains("none!");
            assertThat(text(a).read()).contains("none!");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noIncrementIsLost(boolean tcp) throws Exception {
        int threads = 4;
        int times = 100;
        ExecutorService pool = Executors.newCachedThreadPool();
        try (LockRig rig = rig(tcp)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                ComputeNode node = i % 2 == 0 ? rig.join() : last(rig);
                Guarded<Long> counter = node.guardedValues().of("counter", ValueCodec.number());
                all.add(pool.submit(() -> {
                    for (int n = 0; n < times; n++) {
                        counter.update(old -> old.orElse(0L) + 1);
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(50, TimeUnit.SECONDS);
            }
            Guarded<Long> counter = rig.nodes().get(0).guardedValues().of("counter", ValueCodec.number());
            assertThat(counter.read()).contains((long) threads * times);
        } finally {
            pool.shutdownNow();
        }
    }

    /** A lock that is kept here has its value here, too: it is read without a remote operation. */
    @Test
    void aKeptLockIsReadWithoutTheMemoryNode() throws Exception {
        try (LockRig rig = rig(true)) {
            ComputeNode node = rig.join(builder -> {});
            text(node).update(old -> "kept");
            for (int i = 0; i < 20; i++) {
                text(node).acquire().close();
            }
            long reads = rig.memoryNode().counts().get(NodeCounts.Kind.VALUE_READ);
            long before = verbs(node);
            for (int i = 0; i < 1_000; i++) {
                try (Held<String> held = text(node).acquire()) {
                    assertThat(held.value()).contains("kept");
                }
            }
            // A kept position gets another index before its tokens run out, after 128 grants at most.
            assertThat(rig.memoryNode().counts().get(NodeCounts.Kind.VALUE_READ) - reads)
                    .isLessThan(20);
            assertThat(verbs(node) - before).isLessThan(500);
        }
    }

    /** The request for the value follows that for the lock before either is answered, and its answer is taken: a free lock needs no further round trip. */
    @Test
    void aFreeLockIsReadInTheSameRoundTrip() throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        try (LockRig rig = LockRig.overTcp(settings -> {});
                TcpProxy proxy = new TcpProxy(rig.port())) {
            ComputeNode node = rig.joinBy(
                    proxy.port(),
                    builder -> builder.settings(
                            ComputeNodeSettings.builder().keep(KeepSettings.OFF).build()));
            text(node).update(old -> "free");
            await().untilAsserted(() ->
                    assertThat(LockRig.lock(node, "x").hasPosition()).isFalse());
            long before = rig.memoryNode().counts().get(NodeCounts.Kind.VALUE_READ);
            proxy.set(Direction.FROM_SERVER, Flow.HELD);
            Future<Optional<String>> read = pool.submit(() -> {
                try (Held<String> held = text(node).acquire()) {
                    return held.value();
                }
            });
            await().untilAsserted(() -> assertThat(rig.memoryNode().counts().get(NodeCounts.Kind.VALUE_READ) - before)
                    .isEqualTo(1));
            assertThat(read.isDone()).isFalse();
            proxy.set(Direction.FROM_SERVER, Flow.OPEN);
            assertThat(read.get(20, TimeUnit.SECONDS)).contains("free");
            assertThat(rig.memoryNode().counts().get(NodeCounts.Kind.VALUE_READ) - before)
                    .isEqualTo(1);
        } finally {
            pool.shutdownNow();
        }
    }

    /** Rule V5: two processes hand the lock to and fro, and each has the value with the grant. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWaiterThatIsGrantedTheLockByAPeerReadsNothing(boolean tcp) throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        try (LockRig rig = rig(tcp)) {
            List<ComputeNode> nodes = List.of(rig.join(builder -> {}), rig.join(builder -> {}));
            int byPeers = 0;
            Held<String> held = text(nodes.get(0)).acquire();
            for (int round = 1; round <= 20; round++) {
                ComputeNode next = nodes.get(round % 2);
                Future<Held<String>> waiter = pool.submit(() -> text(next).acquire());
                await().until(() -> isWaiting(next));
                String value = "value " + round;
                held.set(value);
                long before = reads(rig);
                held.close();
                held = waiter.get(20, TimeUnit.SECONDS);
                assertThat(held.value()).contains(value);
                assertThat(held.stored().orElseThrow().by())
                        .isEqualTo(nodes.get((round + 1) % 2).settings().name());
                if (((HandleImpl) held.handle()).hold().kind() == GrantKind.PEER) {
                    byPeers++;
                    assertThat(reads(rig) - before).as("round %d", round).isZero();
                }
            }
            held.clear();
            Future<Held<String>> last = pool.submit(() -> text(nodes.get(1)).acquire());
            await().until(() -> isWaiting(nodes.get(1)));
            held.close();
            try (Held<String> cleared = last.get(20, TimeUnit.SECONDS)) {
                assertThat(cleared.value())
                        .as("that there is none was told, too")
                        .isEmpty();
            }
            assertThat(byPeers).isPositive();
        } finally {
            pool.shutdownNow();
        }
    }

    private static boolean isWaiting(ComputeNode node) {
        LocalLock lock = LockRig.lock(node, "x");
        CqlLock remote = lock == null ? null : lock.remote();
        return remote != null && remote.state() == PositionState.WAITING;
    }

    private static long reads(LockRig rig) {
        return rig.memoryNode().counts().get(NodeCounts.Kind.VALUE_READ);
    }

    /** A caller that had to wait again and again asks for nothing ahead: from the request for the lock to the value nothing is read. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProcessThatKeepsWaitingStopsReadingAhead(boolean tcp) throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        try (LockRig rig = rig(tcp)) {
            List<ComputeNode> nodes = List.of(rig.join(builder -> {}), rig.join(builder -> {}));
            int without = 0;
            Held<String> held = text(nodes.get(0)).acquire();
            for (int round = 1; round <= 20; round++) {
                long before = reads(rig);
                ComputeNode next = nodes.get(round % 2);
                Future<Held<String>> waiter = pool.submit(() -> text(next).acquire());
                await().until(() -> isWaiting(next));
                held.set("value " + round);
                held.close();
                held = waiter.get(20, TimeUnit.SECONDS);
                if (round > 6 && ((HandleImpl) held.handle()).hold().kind() == GrantKind.PEER) {
                    without++;
                    assertThat(reads(rig) - before).as("round %d", round).isZero();
                }
            }
            held.close();
            assertThat(without).isPositive();
        } finally {
            pool.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsStoredInTheMiddleSurvivesTheHolder(boolean tcp) throws Exception {
        try (LockRig rig = rig(tcp)) {
            ComputeNode a = rig.join(builder -> {});
            ComputeNode b = rig.join(builder -> {});
            Held<String> held = text(a).acquire();
            held.store("half");
            held.set("not stored");
            a.close();
            assertThatThrownBy(held::close).isInstanceOf(DecLockException.class);
            try (Held<String> next = text(b).acquire()) {
                assertThat(next.value()).contains("half");
            }
        }
    }

    /** Rule V1: the operator has ended the hold, and another process has the lock. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLateHolderStoresNothing(boolean tcp) throws Exception {
        try (LockRig rig = rig(tcp)) {
            ComputeNode a = rig.join(builder -> {});
            ComputeNode b = rig.join(builder -> {});
            Held<String> late = text(a).acquire();
            late.set("late");
            rig.memoryNode()
                    .operator()
                    .endHolds("default", "x", 0, "test")
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
            try (Held<String> held = text(b).acquire()) {
                held.set("new");
                assertThatThrownBy(() -> late.store("late")).isInstanceOf(LockLostException.class);
                assertThatThrownBy(late::close).isInstanceOf(LockLostException.class);
            }
            assertThat(text(a).read()).contains("new");
        }
    }

    @Test
    void aSharedHoldStoresNothing() throws Exception {
        try (LockRig rig = rig(false)) {
            ComputeNode node = rig.join(builder -> {});
            try (Held<String> held = text(node).acquire(LockRequest.read("x"))) {
                assertThatThrownBy(() -> held.set("no")).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> held.store("no")).isInstanceOf(IllegalStateException.class);
            }
            assertThatThrownBy(() -> text(node).acquire(LockRequest.write("y")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'x'");
        }
    }

    @Test
    void aValueThatIsTooLongIsRefusedBeforeItIsSent() throws Exception {
        try (LockRig rig = rig(false)) {
            ComputeNode node = rig.join(builder -> {});
            try (Held<String> held = text(node).acquire()) {
                assertThatThrownBy(() -> held.set("x".repeat(1_025)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("1025 bytes");
                held.set("x".repeat(1_024));
            }
            assertThat(text(node).read().orElseThrow()).hasSize(1_024);
        }
    }

    @Test
    void aFullMemoryNodeSaysSoAndTheLockIsReleased() throws Exception {
        try (LockRig rig = LockRig.overTcp(settings -> settings.values(1))) {
            ComputeNode node = rig.join(builder -> {});
            text(node).update(old -> "one");
            Guarded<String> second = node.guardedValues().of("y", TEXT);
            assertThatThrownBy(() -> second.update(old -> "two"))
                    .isInstanceOf(DecLockException.class)
                    .hasMessageContaining("declock.memory-node.values")
                    .hasMessageContaining("'y'");
            text(node).update(old -> null);
            assertThat(second.update(old -> "two")).contains("two");
        }
    }

    @Test
    void aStoreThatFailsLeavesTheValueAsItWas() throws Exception {
        try (LockRig rig = LockRig.overTcp(settings -> settings.values(1))) {
            ComputeNode node = rig.join(builder -> {});
            text(node).update(old -> "one");
            Held<String> held = node.guardedValues().of("y", TEXT).acquire();
            assertThatThrownBy(() -> held.store("two")).isInstanceOf(DecLockException.class);
            assertThat(held.value()).isEmpty();
            held.set("three");
            assertThatThrownBy(() -> held.store("four")).isInstanceOf(DecLockException.class);
            assertThat(held.value()).as("what was set before").contains("three");
            text(node).update(old -> null);
            held.close();
            assertThat(node.guardedValues().of("y", TEXT).read()).contains("three");
        }
    }

    /** One thread stores a value, which takes a while, and another one closes the hold, perhaps after it has set another value. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEndOfAHoldWaitsForAStoreThatIsUnderWay(boolean sets) throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        try (LockRig rig = LockRig.overTcp(settings -> {});
                TcpProxy proxy = new TcpProxy(rig.port())) {
            ComputeNode a = rig.joinBy(proxy.port(), builder -> {});
            ComputeNode b = rig.join(builder -> {});
            Held<String> held = text(a).acquire();
            Future<Held<String>> next = pool.submit(() -> text(b).acquire());
            await().until(() -> isWaiting(b));
            proxy.set(Direction.FROM_SERVER, Flow.HELD);
            long before = rig.memoryNode().counts().get(NodeCounts.Kind.VALUE_STORED);
            Future<?> store = pool.submit(() -> held.store("stored"));
            await().until(() -> rig.memoryNode().counts().get(NodeCounts.Kind.VALUE_STORED) > before);
            if (sets) {
                held.set("set meanwhile");
            }
            Future<?> close = pool.submit(held::close);
            await().pollDelay(Duration.ofMillis(200)).until(() -> !close.isDone() && !next.isDone());
            proxy.set(Direction.FROM_SERVER, Flow.OPEN);
            store.get(20, TimeUnit.SECONDS);
            close.get(20, TimeUnit.SECONDS);
            try (Held<String> seen = next.get(20, TimeUnit.SECONDS)) {
                assertThat(seen.value()).contains(sets ? "set meanwhile" : "stored");
            }
        } finally {
            pool.shutdownNow();
        }
    }

    /** A memory node that starts again has no values; a holder that it restored stores one there. */
    @Test
    void aValueIsAbsentAfterARestartAndNeverOld() throws Exception {
        try (LockRig rig = LockRig.restartable(settings -> {})) {
            ComputeNode a = rig.join(builder -> {});
            text(a).update(old -> "old life");
            CompletableFuture<Void> stored;
            try (Held<String> held = text(a).acquire()) {
                rig.restartMemoryNode();
                stored = CompletableFuture.runAsync(() -> held.store("new life"));
                stored.get(30, TimeUnit.SECONDS);
                assertThat(held.handle().isValid()).isTrue();
            }
            ComputeNode b = rig.join(builder -> {});
            assertThat(text(b).read()).contains("new life");
            text(b).update(old -> old.orElse("") + "!");
            rig.restartMemoryNode();
            assertThat(a.guardedValues()
                            .of("x", TEXT)
                            .acquire(LockRequest.read("x").waitTime(Duration.ofSeconds(20)))
                            .value())
                    .isEmpty();
        }
    }
}
