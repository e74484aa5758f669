// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.RecordingListener;
import io.declock.testkit.Ports;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Direction;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A candidate that stands still, as a program that is stopped or a machine that hangs: its kernel accepts connections, and nothing answers on
 * them. It keeps no session from the other candidates.
 */
@Timeout(60)
class StillCandidateTest {
    /** Long, so that an attempt at the candidate that stands still has long to wait for an answer. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

    private final ManualTime time = new ManualTime();
    private final TcpRig rig = new TcpRig(
            MemoryNodeSettings.builder("mn")
                    .records(16)
                    .maxLease(LEASE)
                    .formerLease(LEASE)
                    .waitOutOldSessions(false)
                    .build(),
            time,
            MemoryNodeServerSettings.builder(),
            TcpFabricSettings.DEFAULTS);
    private final TcpProxy still = new TcpProxy(rig.server().port());
    private final RecordingListener listener = new RecordingListener();

    @AfterEach
    void end() {
        still.close();
        rig.close();
    }

    private FabricSession join(Fabric fabric, MemoryNodeAddress address) throws Exception {
        return fabric.join(address, new JoinRequest(1, 1, "cn", "", 0, LEASE.toNanos()), listener)
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    /** Lets the candidate stand still, and returns what was asked of it then, once attempts to resume the session are under way. */
    private CompletableFuture<HeartbeatReply> standStill(FabricSession session) {
        int before = still.accepted();
        still.set(Direction.FROM_CLIENT, TcpProxy.Flow.LOST);
        CompletableFuture<HeartbeatReply> beat = session.control().heartbeat().toCompletableFuture();
        await().atMost(Duration.ofSeconds(10)).until(() -> still.accepted() > before);
        return beat;
    }

    private static void assertSoon(CompletableFuture<HeartbeatReply> beat) throws Exception {
        long from = System.nanoTime();
        beat.get(20, TimeUnit.SECONDS);
        assertThat(System.nanoTime() - from).isLessThan(SOON_NANOS);
    }

    @Test
    void aSessionGoesOnAtAnotherCandidateAsSoonAsThatServes() throws Exception {
        try (TcpProxy other = new TcpProxy(Ports.free());
                Fabric fabric = rig.openFabric(new NodeCounters())) {
            FabricSession session = join(
                    fabric, MemoryNodeAddress.parse("tcp://127.0.0.1:" + still.port() + "|127.0.0.1:" + other.port()));
            CompletableFuture<HeartbeatReply> beat = standStill(session);
            assertThat(beat).isNotDone();
            other.target(rig.server().port());
            assertSoon(beat);
            assertThat(listener.losses).isEmpty();
        }
    }

    @Test
    void soItDoesWhereOneNameStandsForAllCandidates() throws Exception {
        HostAddresses.Lookup both =
                host -> new InetAddress[] {InetAddress.getByName("127.0.0.2"), InetAddress.getByName("127.0.0.1")};
        try (Fabric fabric = TcpFabric.open(TcpFabricSettings.DEFAULTS, new NodeCounters(), both)) {
            FabricSession session = join(fabric, new MemoryNodeAddress("tcp", "mn.example", still.port()));
            CompletableFuture<HeartbeatReply> beat = standStill(session);
            assertThat(beat).isNotDone();
            try (TcpProxy other = new TcpProxy(rig.server().port(), "127.0.0.2", still.port())) {
                assertSoon(beat);
            }
            assertThat(listener.losses).isEmpty();
        }
    }
}
