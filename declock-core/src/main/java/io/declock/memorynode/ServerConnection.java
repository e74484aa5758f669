// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode;

import io.declock.fabric.FabricException;
import io.declock.fabric.FabricException.Reason;
import io.declock.fabric.Member;
import io.declock.fabric.Membership;
import io.declock.fabric.PeerMessage;
import io.declock.fabric.Resolution;
import io.declock.fabric.SessionListener;
import io.declock.fabric.tcp.wire.BadFrameException;
import io.declock.fabric.tcp.wire.FrameBody;
import io.declock.fabric.tcp.wire.FrameConnection;
import io.declock.fabric.tcp.wire.FrameWriter;
import io.declock.fabric.tcp.wire.Messages;
import io.declock.fabric.tcp.wire.Preamble;
import io.declock.fabric.tcp.wire.Proofs;
import io.declock.fabric.tcp.wire.Wire;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One compute node's connection to the memory node: first the handshake, then its session. Belongs to its event loop. */
final class ServerConnection extends FrameConnection implements SessionListener {
    private final ServerContext server;
    private final ChainFrame chains;
    private final byte[] nonce = Proofs.nonce();
    private byte[] clientNonce = {};
    private boolean greeted;
    private boolean authenticated;
    private @Nullable MemoryNodeSession session;
    private boolean entered;
    // Written by the event loop, read by whoever relays.
    private volatile boolean stalled;
    private long stalledSince;

    ServerConnection(ServerContext server) {
        super(true);
        this.server = server;
        this.chains = new ChainFrame(server.node().region(), server.node().counts());
    }

    @Override
    protected void opened() {
        if (!server.admit(this)) {
            fail(new FabricException("too many connections"));
            return;
        }
        channel()
                .eventLoop()
                .schedule(
                        this::checkJoined, server.settings().handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
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
        boolean sameVersion = preamble.version() == Wire.VERSION;
        int status = sameVersion ? 0 : Reason.BAD_VERSION.code();
        Preamble.of(Wire.ROLE_SESSION, status, nonce).write(out());
        if (!sameVersion) {
            server.refused(
                    this,
                    "speaks version " + preamble.version() + " of the protocol, this memory node version "
                            + Wire.VERSION);
            fail(null);
        } else if (preamble.role() != Wire.ROLE_SESSION) {
            throw new BadFrameException("a connection of role " + preamble.role() + " to a memory node");
        }
        clientNonce = preamble.nonce();
        greeted = true;
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
        if (greeted) {
            goodbye("bad frame: " + cause.getMessage());
        }
    }

    private void goodbye(String why) {
        ByteBuf out = out();
        int start = FrameWriter.begin(out, Wire.GOODBYE);
        FrameWriter.text(out, why);
        FrameWriter.end(out, start);
    }

    @Override
    protected void ended(@Nullable Throwable cause) {
        server.gone(this);
        MemoryNodeSession current = session;
        if (current != null) {
            if (entered) {
                entered = false;
                current.exit();
            }
            current.disconnected();
        }
    }

    @Override
    protected void batchBegins() {
        MemoryNodeSession current = session;
        entered = current != null && current.enter();
    }

    @Override
    protected void batchEnds() {
        MemoryNodeSession current = session;
        if (entered && current != null) {
            entered = false;
            current.exit();
        }
    }

    @Override
    protected void frame(int type, FrameBody body) throws BadFrameException {
        MemoryNodeSession current = session;
        if (current == null) {
            handshake(type, body);
        } else if (type == Wire.CHAIN) {
            if (entered) {
                chains.execute(body, out());
            }
            // Otherwise the session is cut, and the connection about to be closed by whoever cut it.
        } else {
            request(current, type, body);
        }
    }

    private void handshake(int type, FrameBody body) throws BadFrameException {
        if (type == Wire.AUTH && !authenticated) {
            authenticate(body);
        } else if (type == Wire.JOIN && authenticated) {
            join(body);
        } else {
            throw new BadFrameException("frame of type " + type + " before the handshake was complete");
        }
    }

    private void authenticate(FrameBody body) throws BadFrameException {
        byte[] proof = body.bytes(Wire.SECRET_BYTES);
        body.end();
        if (!Proofs.same(Proofs.prove(server.key(), "declock client", clientNonce, nonce), proof)) {
            server.refused(this, "does not know the secret");
            refuse(
                    0,
                    Reason.BAD_SECRET,
                    "the secret is not that of memory node " + server.node().id()
                            + ": check declock.secret on both sides");
            fail(null);
            return;
        }
        authenticated = true;
        maxFrameBytes(Wire.MAX_REQUEST_BYTES);
        ByteBuf out = out();
        int start = FrameWriter.begin(out, Wire.AUTHENTICATED);
        out.writeBytes(Proofs.prove(server.key(), "declock server", clientNonce, nonce));
        FrameWriter.end(out, start);
    }

    private void join(FrameBody body) throws BadFrameException {
        var request = Messages.readJoin(body);
        body.end();
        MemoryNodeSession joined;
        try {
            joined = server.node().join(request, this);
        } catch (FabricException.Refused e) {
            refuse(0, e.reason(), String.valueOf(e.getMessage()));
            fail(null);
            return;
        }
        session = joined;
        entered = joined.enter();
        ByteBuf out = out();
        int start = FrameWriter.begin(out, Wire.JOINED);
        Messages.writeJoined(out, joined.joined());
        out.writeBytes(server.tickets().keyOf(joined.member()));
        FrameWriter.end(out, start);
    }

    private void request(MemoryNodeSession current, int type, FrameBody body) throws BadFrameException {
        switch (type) {
            case Wire.HEARTBEAT -> heartbeat(current, body);
            case Wire.RESOLVE -> resolve(current, body, true);
            case Wire.LOOK_UP -> resolve(current, body, false);
            case Wire.MEMBERS -> members(current, body);
            case Wire.PEER_MESSAGE -> relay(current, body);
            case Wire.RECLAIM_ANSWER -> {
                long round = body.i64();
                long[] vetoed = body.longs(Wire.MAX_RECLAIM);
                body.end();
                current.answerReclaim(round, vetoed);
            }
            case Wire.LEAVE -> {
                int id = body.i32();
                body.end();
                current.leave(() -> send(out -> writeDone(out, id)));
            }
            case Wire.TICKET -> ticket(current, body);
            case Wire.DECLARE_NODE_SET -> declareNodeSet(current, body);
            default -> throw new BadFrameException("unknown type of frame: " + type);
        }
    }

    private void heartbeat(MemoryNodeSession current, FrameBody body) throws BadFrameException {
        int id = body.i32();
        body.end();
        try {
            var reply = current.heartbeat();
            ByteBuf out = out();
            int start = FrameWriter.begin(out, Wire.HEARTBEAT_REPLY);
            out.writeIntLE(id);
            Messages.writeHeartbeat(out, reply);
            FrameWriter.end(out, start);
        } catch (FabricException e) {
            goodbye(String.valueOf(e.getMessage()));
            fail(e);
        }
    }

    private void resolve(MemoryNodeSession current, FrameBody body, boolean create) throws BadFrameException {
        int id = body.i32();
        byte[] name = body.countedBytes(Wire.MAX_TEXT);
        body.end();
        current.resolve(name, create, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                send(out -> writeResolution(out, id, resolution));
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                send(out -> writeRefusal(out, id, refusal.reason(), String.valueOf(refusal.getMessage())));
            }
        });
    }

    private static void writeResolution(ByteBuf out, int id, @Nullable Resolution resolution) {
        int start = FrameWriter.begin(out, Wire.RESOLVED);
        out.writeIntLE(id);
        out.writeByte(resolution == null ? 0 : 1);
        if (resolution != null) {
            out.writeLongLE(resolution.record());
            out.writeLongLE(resolution.epoch());
        }
        FrameWriter.end(out, start);
    }

    private void members(MemoryNodeSession current, FrameBody body) throws BadFrameException {
        int id = body.i32();
        body.end();
        writeMembership(out(), id, current.members());
    }

    private static void writeMembership(ByteBuf out, int id, Membership membership) {
        int start = FrameWriter.begin(out, Wire.MEMBERSHIP);
        out.writeIntLE(id);
        Messages.writeMembership(out, membership);
        FrameWriter.end(out, start);
    }

    private void relay(MemoryNodeSession current, FrameBody body) throws BadFrameException {
        PeerMessage message = Messages.readPeer(body);
        body.end();
        Member self = current.member();
        if (message.fromNode() != self.nodeId() || message.fromIncarnation() != self.incarnation()) {
            throw new BadFrameException("a peer message in the name of another compute node");
        }
        current.relay(message);
    }

    private void ticket(MemoryNodeSession current, FrameBody body) throws BadFrameException {
        int id = body.i32();
        int nodeId = body.u8();
        int incarnation = body.i32();
        body.end();
        Member to = current.members().byNodeId(nodeId);
        if (to == null || to.incarnation() != incarnation) {
            refuse(id, Reason.BAD_REQUEST, "compute node " + nodeId + "." + incarnation + " is not a member");
            return;
        }
        ByteBuf out = out();
        int start = FrameWriter.begin(out, Wire.TICKET_REPLY);
        out.writeIntLE(id);
        out.writeBytes(server.tickets().ticket(current.member(), to));
        FrameWriter.end(out, start);
    }

    private void declareNodeSet(MemoryNodeSession current, FrameBody body) throws BadFrameException {
        int id = body.i32();
        long digest = body.i64();
        body.end();
        try {
            current.declareNodeSet(digest);
            writeDone(out(), id);
        } catch (FabricException.Refused e) {
            refuse(id, e.reason(), String.valueOf(e.getMessage()));
        }
    }

    private static void writeDone(ByteBuf out, int id) {
        int start = FrameWriter.begin(out, Wire.DONE);
        out.writeIntLE(id);
        FrameWriter.end(out, start);
    }

    private void refuse(int id, Reason reason, String message) {
        writeRefusal(out(), id, reason, message);
    }

    private static void writeRefusal(ByteBuf out, int id, Reason reason, String message) {
        int start = FrameWriter.begin(out, Wire.REFUSED);
        out.writeIntLE(id);
        out.writeByte(reason.code());
        FrameWriter.text(out, message);
        FrameWriter.end(out, start);
    }

    @Override
    protected void stalled(boolean nowStalled) {
        stalled = nowStalled;
        if (nowStalled) {
            long since = ++stalledSince;
            channel()
                    .eventLoop()
                    .schedule(
                            () -> checkStalled(since),
                            server.settings().stallTimeout().toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    private void checkStalled(long since) {
        if (stalled && since == stalledSince && isOpen()) {
            server.node().counts().slowReaders.increment();
            server.refused(
                    this,
                    "left its answers unread for "
                            + server.settings().stallTimeout().toMillis() + " ms");
            fail(null);
        }
    }

    @Override
    public void membershipChanged(Membership membership) {
        send(out -> writeMembership(out, 0, membership));
    }

    @Override
    public void peerMessage(PeerMessage message) {
        if (stalled) {
            // Best effort: what is not read must not pile up.
            return;
        }
        send(out -> {
            int start = FrameWriter.begin(out, Wire.PEER_MESSAGE);
            Messages.writePeer(out, message);
            FrameWriter.end(out, start);
        });
    }

    @Override
    public void reclaimProposed(long round, long[] records) {
        send(out -> {
            int start = FrameWriter.begin(out, Wire.RECLAIM_PROPOSAL);
            out.writeLongLE(round);
            FrameWriter.longs(out, records);
            FrameWriter.end(out, start);
        });
    }

    @Override
    public void lost(FabricException cause) {
        send(out -> {
            int start = FrameWriter.begin(out, Wire.GOODBYE);
            FrameWriter.text(out, String.valueOf(cause.getMessage()));
            FrameWriter.end(out, start);
        });
        fail(cause);
    }
}
