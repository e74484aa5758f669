// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordingListener;
import io.declock.spi.TestProcess;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** What tests of several compute nodes share: a memory node with a real server, and compute nodes that join it. */
abstract class TcpNodes {
    final TcpRig rig = rig(MemoryNodeServerSettings.builder());

    /** Starts a small memory node. */
    static TcpRig rig(MemoryNodeServerSettings.Builder server) {
        return new TcpRig(
                MemoryNodeSettings.builder("mn")
                        .records(16)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                new ManualTime(),
                server,
                TcpFabricSettings.DEFAULTS);
    }

    @AfterEach
    void closeRig() {
        rig.close();
    }

    static CompletableFuture<FabricSession> beginToJoin(
            Fabric fabric, MemoryNodeAddress address, String name, RecordingListener listener) {
        return fabric.join(
                        address,
                        new JoinRequest(TestProcess.id(), 1, name, fabric.peerAddress(), 0, 1_000_000_000L),
                        listener)
                .toCompletableFuture();
    }

    /** Returns how the memory node describes a session's compute node to others. */
    static Member self(FabricSession session) throws Exception {
        return session.control()
                .members()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .byNodeId(session.joined().nodeId());
    }

    /** A compute node that has joined. */
    final class Node {
        final NodeCounters counters;
        final RecordingListener listener = new RecordingListener();
        final Fabric fabric;
        final FabricSession session;

        Node(String name, Fabric fabric, NodeCounters counters) throws Exception {
            this.counters = counters;
            this.fabric = fabric;
            session = beginToJoin(fabric, rig.address(), name, listener).get(10, TimeUnit.SECONDS);
        }

        Member self() throws Exception {
            return TcpNodes.self(session);
        }

        PeerMessage to(Member member, int index) {
            JoinReply joined = session.joined();
            return new PeerMessage(
                    PeerMessage.Kind.GRANT,
                    joined.memoryNodeIncarnation(),
                    joined.nodeId(),
                    joined.incarnation(),
                    member.nodeId(),
                    member.incarnation(),
                    1,
                    2,
                    index,
                    3);
        }
    }
}
