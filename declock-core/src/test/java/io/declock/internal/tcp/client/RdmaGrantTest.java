// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricException;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.RecordingListener;
import io.declock.spi.RemoteMemory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Asking over TCP for what was granted on an RDMA connection. */
@Timeout(60)
class RdmaGrantTest {
    /** RDMA without an adapter: it grants the first compute node that joined something, and nobody else. */
    private static final class Granting implements RdmaAccess {
        @Override
        public void offer(
                MemoryNodeSession session, Consumer<RdmaOffer> offered, Consumer<FabricException.Refused> refused) {
            offered.accept(new RdmaOffer("", 1, new byte[32]));
        }

        @Override
        public byte[] granted(MemoryNodeSession session) throws FabricException.Refused {
            if (session.member().name().equals("connected")) {
                return new byte[] {1, 2, 3};
            }
            throw new FabricException.Refused(FabricException.Reason.BAD_REQUEST, "not connected");
        }

        @Override
        public RemoteMemory adapter() {
            return chain -> {
                throw new AssertionError("no verb is posted here");
            };
        }

        @Override
        public boolean isHealthy() {
            return true;
        }

        @Override
        public Map<String, Object> details() {
            return Map.of();
        }

        @Override
        public void close() {}
    }

    /** Memory of a region whose verbs others execute. */
    private static final class OnHeap implements RegionMemory {
        private final List<ByteBuffer> segments = new ArrayList<>();

        @Override
        public void reserve(int count, int segmentBytes) {
            for (int i = 0; i < count; i++) {
                segments.add(ByteBuffer.allocateDirect(segmentBytes));
            }
        }

        @Override
        public ByteBuffer segment(int index) {
            return segments.get(index);
        }
    }

    private static byte[] granted(@Nullable RdmaAccess rdma, String name) throws Exception {
        ManualTime time = new ManualTime();
        MemoryNodeSettings settings = MemoryNodeSettings.builder("mn-1")
                .records(64)
                .queueCapacity(8)
                .waitOutOldSessions(false)
                .build();
        try (MemoryNode node = rdma == null
                        ? MemoryNode.create(settings, time, time, () -> 7)
                        : MemoryNode.create(settings, time, time, () -> 7, new OnHeap());
                MemoryNodeServer server = MemoryNodeServer.start(
                        node,
                        MemoryNodeServerSettings.builder()
                                .host("127.0.0.1")
                                .port(0)
                                .build(),
                        rdma);
                TcpFabric fabric = TcpFabric.open(TcpFabricSettings.DEFAULTS, new NodeCounters())) {
            JoinRequest request = new JoinRequest(
                    name.hashCode(), 1, name, "", 0, Duration.ofSeconds(3).toNanos());
            return fabric.joinControl(
                            new MemoryNodeAddress(TcpFabric.SCHEME, "127.0.0.1", server.port()),
                            request,
                            new RecordingListener())
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS)
                    .rdmaGrant()
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whoIsConnectedIsTold() throws Exception {
        assertThat(granted(new Granting(), "connected")).containsExactly(1, 2, 3);
    }

    @Test
    void whoIsNotIsRefused() {
        assertThatThrownBy(() -> granted(new Granting(), "other"))
                .hasRootCauseInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("not connected");
    }

    @Test
    void aMemoryNodeWithoutRdmaRefuses() {
        assertThatThrownBy(() -> granted(null, "other"))
                .hasRootCauseInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("no RDMA access to the region");
    }
}
