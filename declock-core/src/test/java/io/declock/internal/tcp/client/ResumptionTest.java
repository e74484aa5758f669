// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.Counters.Event;
import io.declock.TcpFabricSettings;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.spi.TestChain;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Direction;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules G1 to G4 over plain TCP, and what a stranger can do. */
@Timeout(120)
class ResumptionTest extends ResumptionContract {
    @Override
    protected MemoryNodeServerSettings.Builder server() {
        return MemoryNodeServerSettings.builder();
    }

    @Override
    protected TcpFabricSettings client() {
        return TcpFabricSettings.DEFAULTS;
    }

    /** The memory node has not noticed yet that a connection is broken when the session goes on with another one. */
    @Test
    void aConnectionThatStillSeemsOpenEnds() throws Exception {
        long word = word("ns:x");
        get(count(word).future());
        proxy.set(Direction.FROM_CLIENT, TcpProxy.Flow.HELD);
        TestChain held = count(word);
        assertThat(answerTo(((TcpSession) session).memberKey(), 1, false)).isEqualTo(FrameType.RESUMED.number());
        proxy.set(Direction.FROM_CLIENT, TcpProxy.Flow.OPEN);
        // At once, and not only when nothing was executed for long.
        assertThat(held.future().get(2, TimeUnit.SECONDS)[0][0]).isEqualTo(1);
        assertThat(get(count(word).future())[0][0]).isEqualTo(2);
        assertThat(counters.get(Event.SESSION_RESUMED)).isEqualTo(1);
        assertThat(listener.losses).isEmpty();
    }

    // ------------------------------------------------------------- strangers

    private HandshakeFrames.Resume resume(byte[] key, int attempt, byte[] client, byte[] server) {
        return HandshakeFrames.Resume.prove(
                key,
                session.joined().memoryNodeIncarnation(),
                new MemberId(session.joined().nodeId(), session.joined().incarnation()),
                attempt,
                ((TcpSession) session).chains().oldest(),
                client,
                server);
    }

    private int answerTo(byte[] key, int attempt, boolean replayed) throws Exception {
        try (RawSocket socket = new RawSocket(rig.server().port())) {
            RawSocket.Nonces nonces = socket.authenticate("");
            byte[] server = replayed ? Proofs.nonce() : nonces.server();
            HandshakeFrames.Resume request = resume(key, attempt, nonces.client(), server);
            socket.send(out -> HandshakeFrames.writeResume(out, request));
            return socket.read(5)[4] & 0xff;
        }
    }

    @Test
    void onlyItsComputeNodeResumesASession() throws Exception {
        byte[] key = ((TcpSession) session).memberKey();
        long word = word("ns:x");
        assertThat(answerTo(Proofs.nonce(), 1, false)).isEqualTo(FrameType.REFUSED.number());
        assertThat(answerTo(key, 1, true)).as("another connection's proof").isEqualTo(FrameType.REFUSED.number());
        assertThat(answerTo(key, 0, false)).as("an overtaken attempt").isEqualTo(FrameType.REFUSED.number());
        assertThat(get(count(word).future())[0][0]).isZero();
        assertThat(counters.get(Event.SESSION_RESUMED)).isZero();
        assertThat(answerTo(key, 1, false)).as("the key's owner").isEqualTo(FrameType.RESUMED.number());
    }
}
