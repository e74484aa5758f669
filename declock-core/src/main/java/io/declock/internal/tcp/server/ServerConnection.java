// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.chains.ExecutedChains;
import io.declock.internal.memorynode.Abilities;
import io.declock.internal.memorynode.DataPlaneGate;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.NodeCounts;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ChainDoneFrame;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.MemberFrames;
import io.declock.internal.tcp.wire.NodeListFrames;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.SocketAddresses;
import io.declock.internal.tcp.wire.ValueFrames;
import io.declock.internal.tcp.wire.Versions;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.DecoderException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One compute node's connection to the memory node: first the handshake, then the frames of its session, which may have had other
 * connections before. Belongs to its event loop.
 */
final class ServerConnection extends FrameConnection {
    private final ServerContext server;
    private final ProcessorChains chains;
    /** Null if the processor executes the verbs. */
    private final @Nullable AdapterChains adapterChains;

    private final SessionRequests requests;
    private final byte[] nonce = Proofs.nonce();
    private byte[] clientNonce = {};
    /** The other side is a memory node that asks for this one's identity. */
    private boolean fromMemoryNode;

    /** Version of the protocol in which both sides go on. */
    private int version = Versions.NONE;

    private boolean greeted;
    /** It asked to join or to resume a session, which it may do once. */
    private boolean asked;

    private @Nullable ServerSession served;
    private @Nullable MemoryNodeSession session;
    /** Admits the verbs of this connection to the region. */
    private @Nullable DataPlaneGate gate;

    /** The members as its compute node was told of them last. */
    private Membership told = new Membership(0, List.of());

    private boolean entered;
    /** The other side broke the protocol: its session is not resumed. */
    private volatile boolean broken;
    // Written by the event loop, read by every thread that relays.
    private volatile boolean stalled;
    private long stalledSince;

    ServerConnection(ServerContext server) {
        super(true);
        this.server = server;
        this.chains = new ProcessorChains(server.node());
        RdmaAccess rdma = server.rdma();
        this.adapterChains = rdma == null ? null : new AdapterChains(rdma.adapter(), server.node(), this);
        this.requests = new SessionRequests(server, this);
    }

    @Override
    protected void opened() {
        server.admit(this);
        MemoryNodeServerSettings settings = server.settings();
        later(settings.preambleTimeout(), this::checkGreeted);
        later(settings.handshakeTimeout(), this::checkJoined);
    }

    private void later(Duration delay, Runnable check) {
        channel().eventLoop().schedule(check, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs an action on the event loop after a while, unless that has ended. */
    void later(long nanos, Runnable action) {
        try {
            channel().eventLoop().schedule(action, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The event loop has ended, and the connection with it.
        }
    }

    private void checkGreeted() {
        if (!greeted && isOpen()) {
            server.refused(
                    this,
                    "sent no preamble within "
                            + server.settings().preambleTimeout().toMillis() + " ms");
            fail(null);
        }
    }

    private void checkJoined() {
        if (session == null && isOpen()) {
            server.refused(
                    this,
                    "did not join within "
                            + server.settings().handshakeTimeout().toMillis() + " ms");
            fail(null);
        }
    }

    @Override
    protected void preamble(Preamble preamble) throws BadFrameException {
        boolean understood = preamble.version() != Versions.NONE;
        int status = understood ? 0 : Reason.BAD_VERSION.code();
        fromMemoryNode = preamble.role() == Wire.ROLE_MEMORY_NODE;
        Preamble.of(fromMemoryNode ? Wire.ROLE_MEMORY_NODE : Wire.ROLE_SESSION, status, nonce)
                .write(out());
        if (!understood) {
            server.refused(
                    this, "speaks " + preamble.versions() + " of the protocol, this memory node " + Versions.OURS);
            fail(null);
            return;
        }
        if (!fromMemoryNode && preamble.role() != Wire.ROLE_SESSION) {
            throw new BadFrameException("a connection of role " + preamble.role() + " to a memory node");
        }
        clientNonce = preamble.nonce();
        version = preamble.version();
        greeted = true;
        enter(fromMemoryNode ? Phase.ASKED_MEMORY_NODE_AWAITS_PROOF : Phase.MEMORY_NODE_AWAITS_PROOF);
    }

    @Override
    protected void foreign(String guess) {
        server.foreign(this, guess);
        if (guess.equals("HTTP")) {
            out().writeBytes(ServerContext.HTTP_ANSWER);
        }
    }

    @Override
    protected void badFrame(BadFrameException cause) {
        server.badFrame(this, cause);
        broken = true;
        if (greeted) {
            ControlFrames.writeGoodbye(out(), "bad frame: " + cause.getMessage());
        }
    }

    @Override
    protected void unexpected(Throwable cause) {
        server.unexpected(this, cause);
        broken = true;
    }

    @Override
    protected void ended(@Nullable Throwable cause) {
        server.gone(this);
        MemoryNodeSession current = session;
        if (current == null && cause instanceof DecoderException) {
            // A TLS failure: a plain-text client, or certificates that do not match.
            server.refused(this, "broke the TLS handshake: " + cause.getMessage());
        }
        batchEnds();
        ServerSession had = served;
        if (had != null) {
            had.disconnected(this, broken);
        }
    }

    @Override
    protected void batchBegins() {
        DataPlaneGate present = gate;
        entered = present != null && present.enter();
    }

    @Override
    protected void batchEnds() {
        DataPlaneGate present = gate;
        if (entered && present != null) {
            entered = false;
            present.exit();
        }
    }

    @Override
    protected void frame(FrameType type, FrameBody body) throws BadFrameException {
        MemoryNodeSession current = session;
        ServerSession present = served;
        if (current == null || present == null) {
            if (type == FrameType.AUTH) {
                authenticate(body);
            } else if (type == FrameType.IDENTIFY) {
                identify(body);
            } else if (type == FrameType.PROMISE) {
                // A candidate that serves promises nothing.
                HandshakeFrames.readPromise(body);
                HandshakeFrames.writePromised(out(), false);
                fail(null);
            } else if (asked) {
                throw new BadFrameException("a second request for a session");
            } else if (type == FrameType.RESUME) {
                asked = true;
                resume(HandshakeFrames.readResume(body));
            } else {
                asked = true;
                join(body);
            }
        } else if (type == FrameType.CHAIN) {
            chain(current, body);
        } else if (type == FrameType.RESERVE && !entered) {
            // A late frame of a replaced connection must not change what the present one has reserved since.
            ControlFrames.readReserve(body);
        } else if (type == FrameType.WRITE_VALUE && !entered) {
            // Nor may it store a value after one that the present connection has stored since, or after the session was
            // cut.
            ValueFrames.readWriteValue(body);
        } else {
            requests.accept(present, current, type, body, out());
        }
    }

    private void chain(MemoryNodeSession current, FrameBody body) throws BadFrameException {
        AdapterChains posted = adapterChains;
        DataPlaneGate present = gate;
        if (posted != null && present != null) {
            posted.accept(present, body);
        } else if (entered) {
            chains.accept(current.executed(), body, out());
        }
        // Otherwise the session is cut or has another connection, and the code that did this closes this connection.
    }

    private void authenticate(FrameBody body) throws BadFrameException {
        byte[] proof = HandshakeFrames.readAuth(body);
        String client = fromMemoryNode ? ProbeConnection.ASKING : "declock client";
        String self = fromMemoryNode ? ProbeConnection.ASKED : "declock server";
        for (byte[] key : server.keys()) {
            if (prove(Proofs.prove(key, client, clientNonce, nonce), proof)) {
                server.proved(this);
                // The answer uses the secret of the other side, which may be this side's previous one.
                HandshakeFrames.writeAuthenticated(out(), Proofs.prove(key, self, clientNonce, nonce));
                return;
            }
        }
        server.refused(this, "does not know the secret");
        ControlFrames.writeRefused(
                out(),
                0,
                Reason.BAD_SECRET,
                "the secret is not that of memory node " + server.node().id() + ": check declock.secret on both sides");
        fail(null);
    }

    private void identify(FrameBody body) throws BadFrameException {
        server.asked(this, HandshakeFrames.readIdentify(body));
        HandshakeFrames.writeIdentity(out(), server.identity());
        fail(null);
    }

    private void join(FrameBody body) throws BadFrameException {
        JoinRequest request = HandshakeFrames.readJoin(body);
        ServerSession fresh = new ServerSession(server, this);
        MemoryNodeSession joined;
        try {
            joined = server.node()
                    .join(
                            request,
                            SocketAddresses.textOf(channel().localAddress()),
                            new Abilities(version >= Wire.LISTS_VERSION, version >= Wire.KEEPING_VERSION),
                            fresh);
        } catch (FabricException.Refused e) {
            refuse(e.reason(), e.getMessage());
            return;
        }
        fresh.joined(joined);
        told = joined.joined().membership();
        serve(fresh, joined, joined.gate());
        // The batch of frames with this one is under way.
        batchBegins();
        joined.entry()
                .whenWritten(
                        () -> {
                            send(out -> writeJoined(out, joined.joined(), fresh));
                            fresh.told();
                        },
                        refusal -> {
                            send(out -> ControlFrames.writeRefused(out, 0, refusal.reason(), refusal.getMessage()));
                            fail(null);
                        });
    }

    private void writeJoined(ByteBuf out, JoinReply reply, ServerSession fresh) {
        if (version >= Wire.LISTS_VERSION && !reply.nodes().list().isNone()) {
            NodeListFrames.writeNodesState(out, 0, reply.nodes());
        }
        HandshakeFrames.writeJoined(out, new HandshakeFrames.Joined(reply, fresh.memberKey(), true), version);
    }

    private void serve(ServerSession present, MemoryNodeSession joined, DataPlaneGate open) {
        enter(Phase.MEMORY_NODE_SERVES);
        served = present;
        session = joined;
        gate = open;
        if (adapterChains != null) {
            adapterChains.serve(joined);
        }
        server.joined(this);
    }

    /** Resumes a session for its own compute node, and for nobody else (rule G4). */
    private void resume(HandshakeFrames.Resume resume) {
        ServerSession present = server.sessionToResume(resume);
        if (present == null) {
            refuse(
                    Reason.SESSION_OVER,
                    "memory node " + server.node().id() + " has no session "
                            + resume.member().nodeId() + "." + resume.member().incarnation()
                            + " any more that can be resumed");
        } else if (!resume.isProved(present.memberKey(), clientNonce, nonce)) {
            server.refused(this, "would resume a session that is not its own");
            refuse(Reason.BAD_SECRET, "the session to be resumed is not that of this compute node");
        } else {
            present.resume(this, resume.attempt(), resume.oldest());
        }
    }

    /** Refuses to join or to resume a session, and closes the connection. */
    void refuse(Reason reason, @Nullable String message) {
        ControlFrames.writeRefused(out(), 0, reason, message);
        fail(null);
    }

    /** Goes on with a session that was detached from its last connection. */
    void resumed(ServerSession present, MemoryNodeSession detached, DataPlaneGate open, int oldest) {
        serve(present, detached, open);
        ExecutedChains executed = detached.executed();
        HandshakeFrames.writeResumed(out(), executed.next());
        executed.replay(
                oldest,
                (sequence, words) -> ChainDoneFrame.writeChainDone(out(), sequence, frame -> {
                    for (long word : words) {
                        frame.writeLongLE(word);
                    }
                }));
        told = detached.members();
        MemberFrames.writeMembership(out(), told, version);
        NodeList list = server.node().nodeLists().list();
        if (version >= Wire.LISTS_VERSION && !list.isNone()) {
            // The frame that told of it may have been lost with the last connection.
            NodeListFrames.writeNodes(out(), list);
        }
        flush();
    }

    /** Tells what has changed since the compute node was last told of the members, if anything has; on the event loop. */
    void tellMembers(Membership latest, ByteBuf out) {
        if (latest.version() > told.version()) {
            MemberFrames.writeMembershipChange(out, server.change(told, latest), version);
            told = latest;
        }
    }

    /** Ends the session, because its verbs cannot be executed any more; any thread. */
    void end(FabricException cause) {
        broken = true;
        send(out -> ControlFrames.writeGoodbye(out, cause.getMessage()));
        fail(cause);
    }

    /** Returns the version of the protocol in which both sides go on. */
    int version() {
        return version;
    }

    /** Returns whether the other side leaves its answers unread. */
    boolean isStalled() {
        return stalled;
    }

    @Override
    protected void stalled(boolean nowStalled) {
        stalled = nowStalled;
        if (nowStalled) {
            long since = ++stalledSince;
            later(server.settings().stallTimeout(), () -> checkStalled(since));
        } else if (served != null) {
            served.tellMembers();
        }
    }

    private void checkStalled(long since) {
        if (stalled && since == stalledSince && isOpen()) {
            server.node().counts().count(NodeCounts.Kind.SLOW_READER);
            server.refused(
                    this,
                    "left its answers unread for "
                            + server.settings().stallTimeout().toMillis() + " ms");
            fail(null);
        }
    }
}
