// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A reader dies beside a living one, which hardly ever lets go (rule B10): the question who holds the lock finds the surplus position while
 * the living reader holds, so that a writer that only tries gets in at the next gap, however short.
 */
@Timeout(60)
class DeadReaderTest {
    private static final Duration LEASE = Duration.ofMillis(600);
    private static final Duration HOLD = Duration.ofMillis(300);
    private static final Duration GAP = Duration.ofMillis(15);
    private static final Duration BOUND = LEASE.plusSeconds(5);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ComputeNode> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(ComputeNode::close);
        timer.shutdownNow();
    }

    @Test
    void aWriterThatOnlyTriesGetsInThoughALivingReaderAlmostAlwaysHolds() throws Exception {
        MemoryNode memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(100)
                        .queueCapacity(8)
                        .maxLease(LEASE)
                        .leaseMargin(Duration.ofMillis(50))
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        try (MemoryNodeServer server = MemoryNodeServer.start(
                        memoryNode,
                        MemoryNodeServerSettings.builder()
                                .host("127.0.0.1")
                                .port(0)
                                .build());
                TcpProxy proxy = new TcpProxy(server.port())) {
            ComputeNode dying = join(proxy.port());
            ComputeNode living = join(server.port());
            ComputeNode trying = join(server.port());
            dying.acquire(LockRequest.read("x"));
            proxy.set(Flow.LOST);

            AtomicBoolean over = new AtomicBoolean();
            Thread reader = new Thread(() -> read(living, over));
            reader.start();
            long end = System.nanoTime() + BOUND.toNanos();
            Optional<LockHandle> written = Optional.empty();
            while (written.isEmpty() && System.nanoTime() < end) {
                written = trying.tryAcquire(LockRequest.write("x").waitTime(Duration.ZERO));
                MILLISECONDS.sleep(1);
            }
            over.set(true);
            reader.join();

            assertThat(written)
                    .as("a gap of %s behind each read of %s", GAP, HOLD)
                    .isPresent();
            written.ifPresent(LockHandle::close);
        } finally {
            memoryNode.close();
        }
    }

    private static void read(ComputeNode node, AtomicBoolean over) {
        while (!over.get()) {
            try (LockHandle handle = node.acquire(LockRequest.read("x"))) {
                MILLISECONDS.sleep(HOLD.toMillis());
                assertThat(handle.isValid()).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            LockSupport.parkNanos(GAP.toNanos());
        }
    }

    private ComputeNode join(int port) throws Exception {
        NodeCounters counters = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse("tcp://127.0.0.1:" + port)))
                .fabric(TcpFabric.open(TcpFabricSettings.DEFAULTS, counters))
                .counters(counters)
                .settings(ComputeNodeSettings.builder()
                        .lease(LEASE)
                        .heartbeatInterval(LEASE.dividedBy(5))
                        .leaseMargin(LEASE.dividedBy(5))
                        .build())
                .build();
        nodes.add(node);
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
        return node;
    }
}
