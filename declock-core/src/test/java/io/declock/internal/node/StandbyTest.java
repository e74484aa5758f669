// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeUnavailableException;
import io.declock.TcpFabricSettings;
import io.declock.internal.election.Standing.Role;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.election.MemoryEngine;
import io.declock.testkit.Ports;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node with stand-bys, over real sockets: who serves changes, and holds go on (rules H6 and H7). */
@Tag("slow")
@Timeout(90)
class StandbyTest {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration TERM = Duration.ofSeconds(1);
    private static final TestCandidate.Times TIMES = new TestCandidate.Times(LEASE, Duration.ofMillis(200), TERM);

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    private final MemoryEngine.Shared shared = new MemoryEngine.Shared();
    private final List<TestCandidate> candidates = new ArrayList<>();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private final Map<ComputeNode, NodeCounters> counters = new ConcurrentHashMap<>();
    /** What the compute nodes' connections to each candidate go through. */
    private final List<TcpProxy> ways = new ArrayList<>();

    private List<String> addresses = List.of();

    @BeforeEach
    void start() throws Exception {
        addresses =
                Ports.free(2).stream().map(port -> "tcp://127.0.0.1:" + port).toList();
        for (String address : addresses) {
            candidates.add(new TestCandidate(shared, address, addresses, TIMES, timer, TestCandidate.Access.NONE));
            ways.add(new TcpProxy(MemoryNodeAddress.parse(address).port()));
        }
        await().atMost(Duration.ofSeconds(10))
                .until(() -> candidates.stream().filter(TestCandidate::serves).count() == 1);
    }

    @AfterEach
    void stop() throws Exception {
        nodes.forEach(ComputeNode::close);
        for (TestCandidate candidate : candidates) {
            if (candidate.isRunning()) {
                candidate.kill();
            }
        }
        ways.forEach(TcpProxy::close);
        timer.shutdownNow();
    }

    private TestCandidate serving() {
        return candidates.stream().filter(TestCandidate::serves).findFirst().orElseThrow();
    }

    private TestCandidate standingBy() {
        return candidates.stream().filter(one -> !one.serves()).findFirst().orElseThrow();
    }

    private void awaitServing(TestCandidate candidate) {
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .until(candidate::serves);
    }

    private ComputeNode join() throws InterruptedException {
        return join(both());
    }

    private String both() {
        return "tcp://127.0.0.1:" + ways.get(0).port() + "|127.0.0.1:"
                + ways.get(1).port();
    }

    private ComputeNode join(String all) throws InterruptedException {
        ComputeNode node = start(all);
        assertThat(node.awaitReady(Duration.ofSeconds(10))).isTrue();
        return node;
    }

    private ComputeNode start(String all) {
        NodeCounters counted = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse(all)))
                .fabric(TcpFabric.open(TcpFabricSettings.DEFAULTS, counted))
                .settings(ComputeNodeSettings.builder().lease(LEASE).build())
                .counters(counted)
                .build();
        nodes.add(node);
        counters.put(node, counted);
        node.start();
        return node;
    }

    private long restored(ComputeNode node) {
        return counters.get(node).get(Counters.Event.HOLD_RESTORED);
    }

    private static LockHandle exclusive(ComputeNode node, String name) throws InterruptedException {
        return node.acquire(LockRequest.write(name));
    }

    private static CompletableFuture<LockHandle> later(ComputeNode node, String name) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return exclusive(node, name);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void holdsGoOn(Runnable fault, TestCandidate next) throws Exception {
        ComputeNode holder = join();
        ComputeNode other = join();
        LockHandle held = exclusive(holder, "a");
        CompletableFuture<LockHandle> waiting = later(other, "a");
        fault.run();
        awaitServing(next);
        await().atMost(Duration.ofSeconds(5)).until(() -> restored(holder) == 1);
        assertThat(held.isValid()).isTrue();
        assertThat(waiting).isNotDone();
        held.close();
        try (LockHandle granted = waiting.get(5, TimeUnit.SECONDS)) {
            assertThat(granted.fencingToken()).isGreaterThan(held.fencingToken());
        }
        try (LockHandle fresh = exclusive(holder, "b")) {
            assertThat(fresh.isValid()).isTrue();
        }
    }

    @Test
    void aStandbyTakesOverFromACandidateThatDies() throws Exception {
        TestCandidate first = serving();
        holdsGoOn(() -> run(first::kill), standingBy());
    }

    @Test
    void aStandbyTakesOverAtOnceFromACandidateThatIsToldToEnd() throws Exception {
        TestCandidate first = serving();
        TestCandidate second = standingBy();
        long before = System.nanoTime();
        holdsGoOn(
                () -> {
                    run(first::end);
                    awaitServing(second);
                    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
                },
                second);
    }

    @Test
    void aCandidateThatIsCutFromTheEngineIsDeposed() throws Exception {
        TestCandidate first = serving();
        TestCandidate second = standingBy();
        holdsGoOn(() -> first.engine().reachable(false), second);
        assertThat(first.standing().role()).isNotEqualTo(Role.SERVING);
        assertThat(first.standing().depositions()).isEqualTo(1);
        first.engine().reachable(true);
        await().atMost(Duration.ofSeconds(5)).until(() -> first.standing().role() == Role.STANDING_BY);
        assertThat(first.standing().serving()).isEqualTo(second.standing().serving());
        nodes.forEach(ComputeNode::close);
        nodes.clear();
        holdsGoOn(() -> run(second::kill), first);
    }

    /** As a machine that loses its power: no connection is closed, and nothing comes any more (rule G5). */
    @Test
    void aStandbyTakesOverFromACandidateThatFallsSilent() throws Exception {
        TestCandidate first = serving();
        TestCandidate second = standingBy();
        holdsGoOn(
                () -> {
                    first.engine().reachable(false);
                    ways.get(candidates.indexOf(first)).set(Flow.HELD);
                },
                second);
    }

    @Test
    void whileTheEngineIsDownWhoServesGoesOnServing() throws Exception {
        TestCandidate first = serving();
        TestCandidate second = standingBy();
        ComputeNode holder = join();
        LockHandle held = exclusive(holder, "a");
        first.engine().reachable(false);
        second.engine().reachable(false);
        long until = System.nanoTime() + 4 * TERM.toNanos();
        while (System.nanoTime() - until < 0) {
            try (LockHandle other = exclusive(holder, "b")) {
                assertThat(other.isValid()).isTrue();
            }
            assertThat(first.serves()).isTrue();
            assertThat(second.serves()).isFalse();
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(first.standing().promised()).isTrue();
        assertThat(held.isValid()).isTrue();
        assertThat(restored(holder)).isZero();
        first.engine().reachable(true);
        second.engine().reachable(true);
        await().atMost(Duration.ofSeconds(5))
                .until(() -> candidates.stream().filter(TestCandidate::serves).count() == 1
                        && candidates.stream()
                                .allMatch(one -> one.standing().problem().isEmpty()
                                        || one.standing().role() == Role.STANDING_BY));
        assertThat(held.isValid()).isTrue();
        held.close();
    }

    @Test
    void whileTheEngineIsDownAServiceThatStartsIsToldSoAndJoinsOnceItIsBack() throws Exception {
        TestCandidate first = serving();
        ComputeNode holder = join();
        LockHandle held = exclusive(holder, "a");
        candidates.forEach(candidate -> candidate.engine().reachable(false));
        await().atMost(Duration.ofSeconds(10)).until(() -> first.standing().promised());
        ComputeNode newcomer = start(both());
        String[] reason = {
            "memory node mn cannot let this process join now, because it cannot write it down as a member",
            "the engine in memory is out of reach",
            "look after what keeps the members of memory node mn, the engine that elects its candidates"
        };
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(
                        () -> assertThat(newcomer.monitor().memoryNodes().get(0).problem())
                                .contains(reason));
        assertThatThrownBy(() -> newcomer.acquire(LockRequest.write("b").waitTime(Duration.ofMillis(50))))
                .isInstanceOf(MemoryNodeUnavailableException.class)
                .hasMessageContainingAll(reason);
        assertThat(first.serves()).isTrue();
        assertThat(held.isValid()).isTrue();
        exclusive(holder, "b").close();
        candidates.forEach(candidate -> candidate.engine().reachable(true));
        assertThat(newcomer.awaitReady(Duration.ofSeconds(10))).isTrue();
        assertThat(held.isValid()).isTrue();
        assertThat(restored(holder)).isZero();
        CompletableFuture<LockHandle> waiting = later(newcomer, "a");
        exclusive(newcomer, "b").close();
        assertThat(waiting).isNotDone();
        held.close();
        waiting.get(5, TimeUnit.SECONDS).close();
    }

    /** A mistake in a service's list must not move its locks to a memory node that knows nothing of them (rule C8). */
    @Test
    void aCandidateThatIsAnotherMemoryNodeIsRefusedByName() throws Exception {
        TestCandidate first = serving();
        MemoryNode stranger = MemoryNode.create(
                MemoryNodeSettings.builder("other")
                        .records(1_000)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                first::schedule,
                () -> ThreadLocalRandom.current().nextLong());
        try (MemoryNodeServer other = MemoryNodeServer.start(
                stranger,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(0).build(),
                null)) {
            // A candidate is elected a moment before it listens; a process that came in between would join the other
            // one.
            join();
            ComputeNode holder = join(
                    "tcp://127.0.0.1:" + ways.get(candidates.indexOf(first)).port() + "|127.0.0.1:" + other.port());
            assertThat(holder.monitor().memoryNodes().get(0).id()).isEqualTo("mn");
            LockHandle held = exclusive(holder, "a");
            first.kill();
            await().atMost(Duration.ofSeconds(15))
                    .untilAsserted(() -> assertThat(
                                    holder.monitor().memoryNodes().get(0).problem())
                            .contains(
                                    "127.0.0.1:" + other.port() + " calls itself 'other'",
                                    "off the list of candidates"));
            await().atMost(LEASE.multipliedBy(2)).until(() -> !held.isValid());
            assertThat(stranger.status().recordsInUse()).isZero();
        } finally {
            stranger.close();
        }
    }

    @Test
    void aProcessThatStartsWhileTheFirstCandidateIsDownJoinsTheOther() throws Exception {
        TestCandidate second = standingBy();
        serving().kill();
        awaitServing(second);
        try (LockHandle held = exclusive(join(), "a")) {
            assertThat(held.isValid()).isTrue();
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void run(Step step) {
        try {
            step.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
