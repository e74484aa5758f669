// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.wire.HandshakeFrames.Resume;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.spi.FabricException;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.RecordingListener;
import io.declock.spi.TestProcess;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which sessions the server offers to resume. */
@Timeout(60)
class ServerSessionTest {
    private final ManualTime time = new ManualTime();
    private final MemoryNode node = MemoryNode.create(
            MemoryNodeSettings.builder("mn")
                    .records(16)
                    .queueCapacity(8)
                    .waitOutOldSessions(false)
                    .build(),
            time,
            time,
            () -> 42);
    private final ServerContext server = new ServerContext(node, MemoryNodeServerSettings.DEFAULTS, null);
    private final ServerConnection connection = new ServerConnection(server);
    private final EmbeddedChannel line = new EmbeddedChannel(connection);
    private final ServerSession session = new ServerSession(server, connection);
    private final long process = TestProcess.id();

    @AfterEach
    void close() {
        line.finishAndReleaseAll();
        node.close();
    }

    private JoinRequest request(int attempt) {
        return new JoinRequest(process, attempt, "cn", "", 0, 1_000_000_000L);
    }

    private boolean canBeResumed(MemoryNodeSession of) {
        MemberId member = new MemberId(of.member().nodeId(), of.member().incarnation());
        byte[] nonce = Proofs.nonce();
        return server.sessionToResume(Resume.prove(session.memberKey(), node.incarnation(), member, 1, 0, nonce, nonce))
                != null;
    }

    @Test
    void aSessionCanBeResumedUntilItIsOver() throws FabricException {
        MemoryNodeSession joined = node.join(request(1), session);
        session.joined(joined);
        assertThat(canBeResumed(joined)).isTrue();
        node.join(request(2), new RecordingListener());
        assertThat(canBeResumed(joined)).isFalse();
    }

    /** Another thread of the memory node may end a session as soon as it has made it. */
    @Test
    void aSessionThatEndsWhileItBeginsIsForgotten() throws FabricException {
        MemoryNodeSession joined = node.join(request(1), session);
        node.join(request(2), new RecordingListener());
        session.joined(joined);
        assertThat(canBeResumed(joined)).isFalse();
    }
}
