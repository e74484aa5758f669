// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeUnavailableException;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.testkit.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An update in which the former and the new memory node overlap behind one address: the former one still serves its sessions, while new
 * connections reach the new one (rule C7).
 */
@Tag("slow")
@Timeout(60)
class TwoMemoryNodesTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration MARGIN = Duration.ofMillis(200);
    private static final String SECRET = "s3cret-of-sixteen";

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private final MemoryNode former = memoryNode();
    private final MemoryNode later = memoryNode();
    private MemoryNodeServer formerServer;
    private MemoryNodeServer laterServer;
    private TcpProxy address;

    private MemoryNode memoryNode() {
        return MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(100)
                        .queueCapacity(8)
                        .maxLease(LEASE)
                        .leaseMargin(MARGIN)
                        .formerLease(LEASE)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
    }

    @BeforeEach
    void start() throws Exception {
        MemoryNodeServerSettings settings = MemoryNodeServerSettings.builder()
                .host("127.0.0.1")
                .port(0)
                .secrets(List.of(SECRET))
                .build();
        formerServer = MemoryNodeServer.start(former, settings);
        laterServer = MemoryNodeServer.start(later, settings);
        address = new TcpProxy(formerServer.port());
    }

    @AfterEach
    void stop() {
        nodes.forEach(ComputeNode::close);
        address.close();
        formerServer.close();
        laterServer.close();
        former.close();
        later.close();
        timer.shutdownNow();
    }

    /** Joins; the first by the proxy's connection 0, the next by connection 1. */
    private ComputeNode join() throws InterruptedException {
        NodeCounters counters = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse("tcp://127.0.0.1:" + address.port())))
                .fabric(TcpFabric.open(
                        TcpFabricSettings.builder().secret(SECRET).build(), counters))
                .counters(counters)
                .build();
        nodes.add(node);
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(10))).isTrue();
        return node;
    }

    private static String problem(ComputeNode node) {
        return node.monitor().memoryNodes().get(0).problem();
    }

    @Test
    void whoComesToTheNewOneGetsNothingWhileTheFormerOneServes() throws Exception {
        ComputeNode stays = join();
        ComputeNode moves = join();
        LockHandle held = stays.acquire(LockRequest.write("x"));
        address.target(laterServer.port());
        // Somebody new, whom nothing tells that there was another one.
        ComputeNode stranger = join();
        try (LockHandle elsewhere = stranger.acquire(LockRequest.write("y"))) {
            address.sever(1);

            assertThatThrownBy(() -> moves.tryAcquire(LockRequest.write("x").waitTime(LEASE.multipliedBy(2))))
                    .as("the lock for a second owner")
                    .isInstanceOf(MemoryNodeUnavailableException.class)
                    .hasMessageContaining("two memory nodes");
            assertThat(held.isValid()).as("the holder at the former one").isTrue();
            assertThat(problem(moves))
                    .contains("two memory nodes call themselves 'mn'")
                    .contains("127.0.0.1:" + laterServer.port(), "127.0.0.1:" + formerServer.port());
            assertThat(later.status().serving()).isFalse();
            assertThat(later.status().twins()).isEqualTo(1);
            assertThat(elsewhere.isValid()).as("a hold at the new one").isFalse();
            assertThat(problem(stranger)).contains("two memory nodes");
            assertThat(later.status().sessions()).isEmpty();
        } catch (LockLostException e) {
            // The stranger's release tells it.
        }

        long token = held.fencingToken();
        formerServer.close();
        former.close();
        LockHandle next = moves.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(20)));
        assertThat(held.isValid()).isFalse();
        assertThat(next.fencingToken()).isGreaterThan(token);
        assertThat(later.status().twin()).isEmpty();
        await().until(() -> later.status().sessions().size() == 3);
        next.close();
    }

    @Test
    void aFormerOneThatIsGoneKeepsNobodyOut() throws Exception {
        ComputeNode moves = join();
        address.target(laterServer.port());
        formerServer.close();
        former.close();
        moves.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(10))).close();
        assertThat(later.status().twins()).isZero();
    }
}
