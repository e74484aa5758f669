// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordingListener;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rule C10: a memory node whose event loop was held up expels nobody whose heartbeats it has not read. */
@Timeout(60)
class LateServerTest {
    private static final Duration LEASE = Duration.ofMillis(400);
    private static final Duration HELD_UP = LEASE.multipliedBy(4);

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);

    @AfterEach
    void end() {
        timer.shutdownNow();
    }

    @Test
    void heartbeatsThatALateServerHasNotReadSaveTheirSender() throws Exception {
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(16)
                        .leaseMargin(Duration.ofMillis(100))
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        MemoryNodeServerSettings oneLoop = MemoryNodeServerSettings.builder()
                .host("127.0.0.1")
                .port(0)
                .eventLoopThreads(1)
                .build();
        try (MemoryNodeServer server = MemoryNodeServer.start(node, oneLoop);
                TcpFabric fabric = TcpFabric.open(TcpFabricSettings.builder().build(), new NodeCounters())) {
            MemoryNodeAddress address = new MemoryNodeAddress(TcpFabric.SCHEME, "127.0.0.1", server.port());
            RecordingListener listener = new RecordingListener();
            FabricSession living = fabric.join(address, request(1), listener)
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            timer.scheduleAtFixedRate(() -> living.control().heartbeat(), 0, 50, TimeUnit.MILLISECONDS);
            HoldsUp observer = new HoldsUp();
            node.join(request(2), observer);
            // The server's only event loop tells the observer of this newcomer, and is held up by it.
            CompletableFuture<FabricSession> newcomer =
                    fabric.join(address, request(3), new RecordingListener()).toCompletableFuture();
            assertThat(observer.heldUp.await(10, TimeUnit.SECONDS)).isTrue();
            Thread.sleep(HELD_UP.toMillis());
            observer.goOn.countDown();
            newcomer.get(10, TimeUnit.SECONDS);
            Thread.sleep(LEASE.multipliedBy(2).toMillis());
            assertThat(listener.losses).isEmpty();
            assertThat(node.status().sessions())
                    .extracting(session -> session.member().name())
                    .contains("cn1");
        } finally {
            node.close();
        }
    }

    private static JoinRequest request(long process) {
        return new JoinRequest(process, 1, "cn" + process, "", 0, LEASE.toNanos());
    }

    /** A member within the memory node's process whose listener does not return for a while. */
    private static final class HoldsUp implements SessionListener {
        private final CountDownLatch heldUp = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public void membershipChanged(Membership membership) {
            heldUp.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void peerMessage(PeerMessage message) {}

        @Override
        public void reclaimProposed(long round, long[] records) {}

        @Override
        public void lost(FabricException cause) {}
    }
}
