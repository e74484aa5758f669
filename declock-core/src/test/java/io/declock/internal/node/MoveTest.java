// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
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
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.MembersInMemory;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.Term;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node with a list of its members dies and starts again, over real sockets: holds are restored (rules H1 to H5). */
@Tag("slow")
@Timeout(60)
class MoveTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration MARGIN = Duration.ofMillis(200);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private final Map<ComputeNode, NodeCounters> counters = new HashMap<>();
    private final MembersInMemory members = new MembersInMemory();
    private int port;
    private MemoryNode memoryNode;
    private MemoryNodeServer server;

    private void start(MemberList list, boolean first) throws IOException {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(1_000)
                        .queueCapacity(8)
                        .maxLease(LEASE)
                        .leaseMargin(MARGIN)
                        .formerLease(LEASE)
                        .waitOutOldSessions(!first)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                null,
                list,
                Term.UNLIMITED);
        server = MemoryNodeServer.start(
                memoryNode,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(port).build());
        port = server.port();
    }

    /** The memory node dies without a word, as its process would by a signal. */
    private void kill() {
        server.close();
        memoryNode.close();
    }

    @BeforeEach
    void start() throws Exception {
        start(members.nextLife(), true);
    }

    @AfterEach
    void stop() {
        nodes.forEach(ComputeNode::close);
        kill();
        timer.shutdownNow();
    }

    private ComputeNode join() throws InterruptedException {
        NodeCounters counted = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse("tcp://127.0.0.1:" + port)))
                .fabric(TcpFabric.open(TcpFabricSettings.DEFAULTS, counted))
                .settings(ComputeNodeSettings.builder().lease(LEASE).build())
                .counters(counted)
                .build();
        nodes.add(node);
        counters.put(node, counted);
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(10))).isTrue();
        return node;
    }

    private long count(ComputeNode node, Counters.Event event) {
        return counters.get(node).get(event);
    }

    private static CompletableFuture<LockHandle> ask(ComputeNode node, LockRequest request) {
        return node.acquireAsync(request, LockOwner.named("other")).toCompletableFuture();
    }

    private static LockHandle get(CompletableFuture<LockHandle> asked) throws Exception {
        return asked.get(20, TimeUnit.SECONDS);
    }

    private static boolean tries(ComputeNode node) {
        return node.lock("x").writeLock().tryLock();
    }

    @Test
    void holdsSurviveAndWaitersWait() throws Exception {
        ComputeNode holder = join();
        ComputeNode other = join();
        LockHandle writes = holder.acquire(LockRequest.write("x"));
        LockHandle reads = holder.acquire(LockRequest.read("y"));
        LockHandle readsToo = other.acquire(LockRequest.read("y"));
        CompletableFuture<LockHandle> waiter = ask(other, LockRequest.write("x"));
        kill();
        start(members.nextLife(), false);
        await().until(() -> count(holder, Counters.Event.HOLD_RESTORED) == 2);
        await().until(() -> count(other, Counters.Event.HOLD_RESTORED) == 1);
        assertThat(waiter).isNotDone();
        assertThat(writes.isValid() && reads.isValid() && readsToo.isValid()).isTrue();
        CompletableFuture<LockHandle> writerOfY = ask(other, LockRequest.write("y"));
        CompletableFuture<LockHandle> readerOfX = ask(join(), LockRequest.read("x"));
        assertThatThrownBy(() -> readerOfX.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        writes.close();
        LockHandle next = get(waiter);
        assertThat(next.fencingToken()).isGreaterThan(writes.fencingToken());
        reads.close();
        assertThat(writerOfY).isNotDone();
        readsToo.close();
        get(writerOfY).close();
        next.close();
        get(readerOfX).close();
        assertThat(memoryNode.status().restoredHolds()).isEqualTo(3);
        assertThat(count(holder, Counters.Event.HOLD_LOST) + count(other, Counters.Event.HOLD_LOST))
                .isZero();
    }

    @Test
    void aHoldThatIsReleasedWhileTheMemoryNodeIsDownIsFreeAfterwards() throws Exception {
        ComputeNode holder = join();
        ComputeNode other = join();
        LockHandle held = holder.acquire(LockRequest.write("x"));
        CompletableFuture<LockHandle> waiter = ask(other, LockRequest.write("x"));
        kill();
        held.close();
        assertThat(waiter).isNotDone();
        start(members.nextLife(), false);
        get(waiter).close();
    }

    @Test
    void callersOfTheHoldersProcessGoOnAfterTheGrace() throws Exception {
        ComputeNode holder = join();
        LockHandle held = holder.acquire(LockRequest.write("x"));
        kill();
        CompletableFuture<LockHandle> local = ask(holder, LockRequest.write("x"));
        assertThat(CompletableFuture.supplyAsync(() -> tries(holder)).get(10, TimeUnit.SECONDS))
                .isFalse();
        start(members.nextLife(), false);
        await().until(() -> count(holder, Counters.Event.HOLD_RESTORED) == 1);
        assertThat(local).isNotDone();
        held.close();
        LockHandle next = get(local);
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        next.close();
    }

    @Test
    void aMemberThatDiedWithTheMemoryNodeIsWaitedForAsLongAsItsLease() throws Exception {
        ComputeNode dies = join();
        ComputeNode other = join();
        dies.acquire(LockRequest.write("x"));
        CompletableFuture<LockHandle> waiter = ask(other, LockRequest.write("x"));
        LockHandle survives = other.acquire(LockRequest.write("y"));
        // It cannot reach the next life.
        int known = port;
        kill();
        port = 0;
        start(members.nextLife(), false);
        assertThat(port).isNotEqualTo(known);
        ComputeNode newcomer = join();
        CompletableFuture<LockHandle> early = ask(newcomer, LockRequest.write("x"));
        long began = System.nanoTime();
        LockHandle granted = get(early);
        assertThat(System.nanoTime() - began).isGreaterThan(LEASE.toNanos() / 2);
        assertThat(survives.isValid()).isFalse();
        assertThat(waiter).isNotDone();
        granted.close();
    }

    @Test
    void withoutAListHoldsEndWithTheirLeases() throws Exception {
        kill();
        start(MemberList.NONE, true);
        ComputeNode holder = join();
        LockHandle held = holder.acquire(LockRequest.write("x"));
        kill();
        start(MemberList.NONE, false);
        await().until(() -> count(holder, Counters.Event.HOLD_LOST) == 1);
        assertThatThrownBy(held::close).isInstanceOf(LockLostException.class);
        get(ask(holder, LockRequest.write("x"))).close();
    }

    @Test
    void aMemoryNodeThatStartsTwiceRestoresTwice() throws Exception {
        ComputeNode holder = join();
        ComputeNode other = join();
        LockHandle held = holder.acquire(LockRequest.write("x"));
        for (int life = 1; life <= 3; life++) {
            kill();
            start(members.nextLife(), false);
            int restored = life;
            await().until(() -> count(holder, Counters.Event.HOLD_RESTORED) == restored);
        }
        assertThat(held.isValid()).isTrue();
        CompletableFuture<LockHandle> waiter = ask(other, LockRequest.write("x"));
        held.close();
        get(waiter).close();
    }

    @Test
    void aRestoredHoldRestsOnTheNextLease() throws Exception {
        ComputeNode holder = join();
        LockHandle held = holder.acquire(LockRequest.write("x"));
        kill();
        start(members.nextLife(), false);
        await().until(() -> count(holder, Counters.Event.HOLD_RESTORED) == 1);
        CompletableFuture<LockHandle> waiter = ask(join(), LockRequest.write("x"));
        await().pollDelay(LEASE.plus(MARGIN)).atMost(LEASE.multipliedBy(3)).until(held::isValid);
        assertThat(waiter).isNotDone();
        held.close();
        get(waiter).close();
        assertThat(count(holder, Counters.Event.HOLD_LOST)).isZero();
    }

    @Test
    void ownersEnterAgainAndDowngradeWhileTheMemoryNodeIsDown() throws Exception {
        ComputeNode holder = join();
        ComputeNode other = join();
        LockHandle held = holder.acquire(LockRequest.write("x"));
        kill();
        LockHandle again = holder.acquire(LockRequest.write("x"));
        again.close();
        held.downgrade();
        start(members.nextLife(), false);
        LockHandle reads = get(ask(other, LockRequest.read("x")));
        assertThat(held.isValid()).isTrue();
        CompletableFuture<LockHandle> writer = ask(other, LockRequest.write("x"));
        held.close();
        assertThat(writer).isNotDone();
        reads.close();
        get(writer).close();
    }

    @Test
    void aMemoryNodeOnWhoseListTheProcessIsNotEndsItsHoldsAtOnce() throws Exception {
        ComputeNode holder = join();
        LockHandle held = holder.acquire(LockRequest.write("x"));
        kill();
        MembersInMemory others = new MembersInMemory();
        others.complete();
        start(others.nextLife(), false);
        await().until(() -> count(holder, Counters.Event.HOLD_LOST) == 1);
        assertThatThrownBy(held::close)
                .isInstanceOf(LockLostException.class)
                .as("why the session broke off, and why the hold was not restored")
                .hasMessageContaining("has no session")
                .hasMessageContaining("not, or no longer, on its list of members");
        get(ask(holder, LockRequest.write("x"))).close();
    }

    @Test
    void aHoldIsLostWithItsLeaseIfTheMemoryNodeDoesNotComeBack() throws Exception {
        ComputeNode holder = join();
        LockHandle held = holder.acquire(LockRequest.write("x"));
        kill();
        await().atMost(LEASE.multipliedBy(2)).until(() -> count(holder, Counters.Event.HOLD_LOST) == 1);
        assertThatThrownBy(held::close).isInstanceOf(LockLostException.class);
    }
}
