// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.Counters;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Versions;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.PeerMessage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A connection between two members of one memory node. Messages go both ways, whichever member opened it, once both have proved their
 * identity. Belongs to its event loop, except {@link #offer}.
 */
abstract class PeerConnection extends FrameConnection {
    /** Bytes of a member's identity in the proofs. */
    static final int MEMBER_BYTES = 13;

    /** Time from a message to the probe of the other side, and time limit for the answer. */
    private static final long PROBE_MILLIS = 250;

    private final TcpFabric fabric;
    private final byte[] nonce = Proofs.nonce();
    /** The version of the protocol in which both sides go on; written before {@code ready}. */
    private int version = Versions.NONE;
    // Written by the event loop, read by every thread that sends.
    private volatile boolean ready;
    private volatile boolean stalled;
    private @Nullable TcpSession session;
    private TcpFabric.@Nullable MemberKey peer;
    private final AtomicBoolean probing = new AtomicBoolean();
    /** Whether the last probe was answered. */
    private boolean heard;

    PeerConnection(TcpFabric fabric) {
        super(false);
        this.fabric = fabric;
    }

    final TcpFabric fabric() {
        return fabric;
    }

    final byte[] nonce() {
        return nonce;
    }

    /** Sends a message if the connection can take it; any thread. */
    final boolean offer(PeerMessage message) {
        if (!ready || stalled || !isOpen()) {
            return false;
        }
        PeerMessage known = PeerFrames.inVersion(message, version);
        send(out -> PeerFrames.writePeerMessage(out, known));
        if (!probing.get() && probing.compareAndSet(false, true)) {
            later(this::probe);
        }
        return true;
    }

    /**
     * Probes the other side. A path that drops packets, in one direction or in both, reports no error: TCP would retry for many minutes. So
     * after a message this side sends a probe; if no answer comes, it closes the connection, and messages are relayed.
     */
    private void probe() {
        heard = false;
        send(PeerFrames::writePeerProbe);
        later(this::probed);
    }

    private void probed() {
        probing.set(false);
        if (!heard && isOpen()) {
            fail(null);
        }
    }

    private void later(Runnable task) {
        if (isOpen()) {
            channel().eventLoop().schedule(task, PROBE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Marks the connection as established: both sides have proved their identity. */
    final void established(TcpSession local, TcpFabric.MemberKey remote) {
        session = local;
        peer = remote;
        ready = true;
        if (!local.peers().established(remote, this)) {
            fail(null);
        }
    }

    final boolean isEstablished() {
        return ready;
    }

    final TcpFabric.@Nullable MemberKey peer() {
        return peer;
    }

    final @Nullable TcpSession session() {
        return session;
    }

    /** The frame with the other side's proof arrived. */
    abstract void handshake(FrameBody body) throws BadFrameException;

    @Override
    protected void opened() {
        channel()
                .eventLoop()
                .schedule(
                        () -> {
                            if (!ready && isOpen()) {
                                fail(null);
                            }
                        },
                        fabric.settings().connectTimeout().toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    @Override
    protected final void frame(FrameType type, FrameBody body) throws BadFrameException {
        TcpSession local = session;
        TcpFabric.MemberKey remote = peer;
        if (local == null || remote == null) {
            handshake(body);
            return;
        }
        switch (type) {
            case PEER_PROBE -> {
                PeerFrames.readPeerProbe(body);
                // A side that sends probes without reading the answers gets no more answers.
                if (!stalled) {
                    send(PeerFrames::writePeerEcho);
                }
            }
            case PEER_ECHO -> {
                PeerFrames.readPeerEcho(body);
                // Only an echo counts: other messages do not show that the other side receives this side's.
                heard = true;
            }
            default -> take(local, remote, PeerFrames.readPeerMessage(body));
        }
    }

    private static void take(TcpSession local, TcpFabric.MemberKey remote, PeerMessage message)
            throws BadFrameException {
        if (message.memoryNode() != remote.memoryNode()
                || message.fromNode() != remote.nodeId()
                || message.fromIncarnation() != remote.incarnation()
                || message.toNode() != local.joined().nodeId()
                || message.toIncarnation() != local.joined().incarnation()) {
            throw new BadFrameException("a peer message from or to another compute node");
        }
        local.listener().peerMessage(message);
    }

    final void checkVersion(Preamble preamble) throws BadFrameException {
        if (preamble.version() == Versions.NONE || preamble.role() != Wire.ROLE_PEER) {
            throw new BadFrameException("a peer that speaks " + preamble.versions() + ", of role " + preamble.role());
        }
        if (preamble.status() != 0) {
            throw new BadFrameException("a peer whose preamble has status " + preamble.status());
        }
        version = preamble.version();
    }

    @Override
    protected void foreign(String guess) {
        fabric.counters().count(Counters.Event.BAD_FRAME);
        fabric.log()
                .warn(
                        "Closed the connection with the peer at {}: it does not speak the DecLock protocol but {}.",
                        channel().remoteAddress(),
                        guess);
    }

    @Override
    protected void badFrame(BadFrameException cause) {
        fabric.counters().count(Counters.Event.BAD_FRAME);
        fabric.log()
                .warn(
                        "Closed the connection with the peer at {}: bad frame: {}",
                        channel().remoteAddress(),
                        cause.getMessage());
    }

    @Override
    protected void unexpected(Throwable cause) {
        fabric.log()
                .error(
                        "Closing the connection with the peer at {}, because of an unexpected exception",
                        channel().remoteAddress(),
                        cause);
    }

    @Override
    protected final void stalled(boolean nowStalled) {
        stalled = nowStalled;
    }

    @Override
    protected void ended(@Nullable Throwable cause) {
        TcpSession local = session;
        TcpFabric.MemberKey remote = peer;
        if (local != null && remote != null) {
            local.peers().ended(remote, this);
        }
    }
}
