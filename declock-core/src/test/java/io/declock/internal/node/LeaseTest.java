// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeRefusedException;
import io.declock.MemoryNodeUnavailableException;
import io.declock.MemoryNodeView;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases over real sockets: how short they may be, and what becomes of waiters when the memory node is started again. */
@Tag("slow")
@Timeout(60)
class LeaseTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORTEST = Duration.ofMillis(200);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private MemoryNode memoryNode;
    private MemoryNodeServer server;

    @AfterEach
    void stop() {
        nodes.forEach(ComputeNode::close);
        stopMemoryNode();
        timer.shutdownNow();
    }

    private void startMemoryNode(int port, boolean hadEarlierLife, Duration lease) throws IOException {
        startMemoryNode("mn", port, hadEarlierLife, lease);
    }

    private void startMemoryNode(String id, int port, boolean hadEarlierLife, Duration lease) throws IOException {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder(id)
                        .records(100)
                        .queueCapacity(8)
                        .maxLease(lease)
                        .leaseMargin(Duration.ofMillis(50))
                        .formerLease(lease)
                        .waitOutOldSessions(hadEarlierLife)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        server = MemoryNodeServer.start(
                memoryNode,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(port).build());
    }

    private void stopMemoryNode() {
        server.close();
        memoryNode.close();
    }

    private ComputeNode join(int port, ComputeNodeSettings settings) throws Exception {
        NodeCounters counters = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse("tcp://127.0.0.1:" + port)))
                .fabric(TcpFabric.open(TcpFabricSettings.DEFAULTS, counters))
                .counters(counters)
                .settings(settings)
                .build();
        nodes.add(node);
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
        return node;
    }

    private static ComputeNodeSettings.Builder lease(Duration lease) {
        return ComputeNodeSettings.builder()
                .lease(lease)
                .heartbeatInterval(lease.dividedBy(5))
                .leaseMargin(lease.dividedBy(5));
    }

    @Test
    void withALeaseOf200MillisecondsASilentHolderIsReplacedWellWithinASecond() throws Exception {
        startMemoryNode(0, false, SHORTEST);
        try (TcpProxy proxy = new TcpProxy(server.port());
                StallMeter machine = new StallMeter()) {
            ComputeNode silent = join(proxy.port(), lease(SHORTEST).build());
            ComputeNode other = join(server.port(), lease(SHORTEST).build());
            Scene scene = begin(silent, other);
            CompletableFuture<Long> lostAt = new CompletableFuture<>();
            scene.held.onLost((handle, why) -> lostAt.complete(System.nanoTime()));

            long cutAt = System.nanoTime();
            proxy.set(Flow.LOST);
            LockHandle next = scene.waiting.get(20, SECONDS);
            long grantedAt = System.nanoTime();
            System.out.printf(
                    "lease 200 ms: lost after %d ms, granted to the next after %d ms; the machine itself %d ms%n",
                    NANOSECONDS.toMillis(lostAt.get(20, SECONDS) - cutAt),
                    NANOSECONDS.toMillis(grantedAt - cutAt),
                    NANOSECONDS.toMillis(machine.longestNanos()));
            assertThat(lostAt.get()).as("given up before the next had it").isLessThan(grantedAt);
            assertThat(grantedAt - cutAt - machine.longestNanos()).isLessThan(MILLISECONDS.toNanos(700));
            assertThat(next.fencingToken()).isGreaterThan(scene.held.fencingToken());
            next.close();
        }
    }

    private record Scene(LockHandle held, CompletableFuture<LockHandle> waiting) {}

    /** One holds, the other waits. On a machine that stands still for a tenth of a second so short a lease is lost; then it is tried again. */
    private static Scene begin(ComputeNode holder, ComputeNode other) throws Exception {
        for (int attempt = 0; attempt < 20; attempt++) {
            LockHandle held = holder.acquire(LockRequest.write("x").waitTime(LONG));
            CompletableFuture<LockHandle> waiting = other.acquireAsync(
                            LockRequest.write("x").waitTime(LONG), LockOwner.named("other-" + attempt))
                    .toCompletableFuture();
            MILLISECONDS.sleep(100);
            if (held.isValid() && !waiting.isDone()) {
                return new Scene(held, waiting);
            }
            closeQuietly(held);
            closeQuietly(waiting.get(20, SECONDS));
        }
        throw new AssertionError("a lease of 200 ms was lost 20 times before anything was done to it");
    }

    private static void closeQuietly(LockHandle handle) {
        try {
            handle.close();
        } catch (LockLostException e) {
            // As it may be here.
        }
    }

    @Test
    void aShorterLeaseThanWasAskedForIsKeptAllTheSame() throws Exception {
        startMemoryNode(0, false, Duration.ofMillis(600));
        // Its heartbeats are further apart than that lease is long.
        ComputeNode node = join(
                server.port(),
                ComputeNodeSettings.builder()
                        .lease(Duration.ofSeconds(6))
                        .heartbeatInterval(Duration.ofSeconds(1))
                        .leaseMargin(Duration.ofMillis(500))
                        .build());
        LockHandle held = node.acquire(LockRequest.write("x"));
        MILLISECONDS.sleep(2500);
        assertThat(held.isValid()).isTrue();
        assertThat(node.monitor().counters().get(Counters.Event.SESSION_LOST)).isZero();
        held.close();
    }

    @Test
    void aMemoryNodeThatComesBackUnderAnotherIdIsRefused() throws Exception {
        Duration lease = Duration.ofSeconds(1);
        startMemoryNode(0, false, lease);
        int port = server.port();
        ComputeNode node = join(port, lease(lease).build());
        node.acquire(LockRequest.write("x")).close();
        stopMemoryNode();
        startMemoryNode("another", port, false, lease);
        await().untilAsserted(() ->
                assertThat(node.monitor().memoryNodes().get(0).state()).isEqualTo(MemoryNodeView.State.REFUSED));
        assertThatThrownBy(() -> node.acquire(LockRequest.write("x").waitTime(LONG)))
                .isInstanceOf(MemoryNodeRefusedException.class)
                .hasMessageContainingAll("'mn'", "'another'", ":" + port);
        await().untilAsserted(
                        () -> assertThat(memoryNode.status().sessions()).allMatch(session -> !session.connected()));
        stopMemoryNode();
        startMemoryNode(port, true, lease);
        await().untilAsserted(() ->
                assertThat(node.monitor().memoryNodes().get(0).state()).isEqualTo(MemoryNodeView.State.UP));
        node.acquire(LockRequest.write("x").waitTime(LONG)).close();
    }

    @Test
    void whoWaitsWhenTheMemoryNodeIsStartedAgainWaitsOnOrFailsAsItWasSetUp() throws Exception {
        Duration lease = Duration.ofSeconds(1);
        startMemoryNode(0, false, lease);
        int port = server.port();
        ComputeNode holder = join(port, lease(lease).build());
        ComputeNode patient = join(port, lease(lease).build());
        ComputeNode hasty = join(port, lease(lease).failFast(true).build());
        LockHandle held = holder.acquire(LockRequest.write("x"));
        long token = held.fencingToken();
        CompletableFuture<LockHandle> waiting = patient.acquireAsync(
                        LockRequest.write("x").waitTime(LONG), LockOwner.named("patient"))
                .toCompletableFuture();
        CompletableFuture<LockHandle> failing = hasty.acquireAsync(
                        LockRequest.write("x").waitTime(LONG), LockOwner.named("hasty"))
                .toCompletableFuture();
        MILLISECONDS.sleep(200);

        stopMemoryNode();
        assertThatThrownBy(() -> failing.get(5, SECONDS))
                .hasCauseInstanceOf(MemoryNodeUnavailableException.class)
                .hasMessageContaining("x");
        assertThat(waiting).isNotDone();
        startMemoryNode(port, true, lease);
        LockHandle next = waiting.get(20, SECONDS);
        assertThat(held.isValid()).isFalse();
        assertThat(next.fencingToken()).isGreaterThan(token);
        next.close();
        assertThatThrownBy(held::close).isInstanceOf(LockLostException.class);
        // Nobody was restarted, and all are served again.
        for (ComputeNode node : nodes) {
            assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
            node.acquire(LockRequest.write("x").waitTime(LONG)).close();
        }
    }
}
