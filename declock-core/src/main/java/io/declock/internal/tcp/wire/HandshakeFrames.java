// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.spi.FormerMemoryNode;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.NodeSet;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** The frames before a session begins, those between memory nodes included. */
public final class HandshakeFrames {
    private HandshakeFrames() {}

    /** Writes AUTH towards a memory node. */
    public static void writeAuth(ByteBuf out, byte[] proof) {
        secret(out, FrameType.AUTH, proof);
    }

    /** Reads AUTH at a memory node: the proof. */
    public static byte[] readAuth(FrameBody body) throws BadFrameException {
        return body.end(body.bytes(Wire.SECRET_BYTES));
    }

    /**
     * AUTH between peers.
     *
     * @param memoryNode incarnation of the memory node to which the node ids belong
     * @param from the connecting compute node
     * @param to the accepting compute node
     * @param proof proof of the connecting compute node
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to the comparison in constant time.
    public record PeerAuth(long memoryNode, MemberId from, MemberId to, byte[] proof) {}

    /** Writes AUTH towards a peer. */
    public static void writePeerAuth(ByteBuf out, PeerAuth auth) {
        int start = FrameWriter.begin(out, FrameType.AUTH);
        out.writeLongLE(auth.memoryNode());
        auth.from().write(out);
        auth.to().write(out);
        out.writeBytes(auth.proof());
        FrameWriter.end(out, start);
    }

    /** Reads AUTH at a peer. */
    public static PeerAuth readPeerAuth(FrameBody body) throws BadFrameException {
        return body.end(
                new PeerAuth(body.i64(), MemberId.read(body), MemberId.read(body), body.bytes(Wire.SECRET_BYTES)));
    }

    /** Writes AUTHENTICATED. */
    public static void writeAuthenticated(ByteBuf out, byte[] proof) {
        secret(out, FrameType.AUTHENTICATED, proof);
    }

    /** Reads AUTHENTICATED: the proof. */
    public static byte[] readAuthenticated(FrameBody body) throws BadFrameException {
        return body.end(body.bytes(Wire.SECRET_BYTES));
    }

    private static void secret(ByteBuf out, FrameType type, byte[] proof) {
        int start = FrameWriter.begin(out, type);
        out.writeBytes(proof);
        FrameWriter.end(out, start);
    }

    /**
     * Writes JOIN.
     *
     * @param peerAddress address to advertise, which replaces that of the request
     */
    public static void writeJoin(ByteBuf out, JoinRequest request, String peerAddress) {
        int start = FrameWriter.begin(out, FrameType.JOIN);
        out.writeLongLE(request.processId());
        out.writeLongLE(request.attempt());
        FrameWriter.longs(out, request.nodeSet().hashes());
        out.writeLongLE(request.highestEpoch());
        out.writeLongLE(request.leaseNanos());
        FrameWriter.text(out, request.name());
        FrameWriter.text(out, peerAddress);
        out.writeLongLE(request.former().incarnation());
        FrameWriter.text(out, request.former().address());
        out.writeByte(request.moves() ? 1 : 0);
        FrameWriter.end(out, start);
    }

    /** Reads JOIN. */
    public static JoinRequest readJoin(FrameBody body) throws BadFrameException {
        long processId = body.i64();
        long attempt = body.i64();
        NodeSet nodeSet = body.nodeSet();
        long epoch = body.i64();
        long lease = body.i64();
        String name = body.text();
        String peerAddress = body.text();
        FormerMemoryNode former = new FormerMemoryNode(body.i64(), body.text());
        boolean moves = body.u8() != 0;
        return body.end(new JoinRequest(processId, attempt, name, peerAddress, nodeSet, epoch, lease, former, moves));
    }

    /**
     * JOINED.
     *
     * @param reply what the compute node learns
     * @param memberKey key that only this member and its memory node know: tickets for this member are derived from it, and it proves that
     *     a new connection may resume the session
     * @param resumable whether the session can be resumed on another connection
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to the session; keys are never compared.
    public record Joined(JoinReply reply, byte[] memberKey, boolean resumable) {}

    /** Writes JOINED. */
    public static void writeJoined(ByteBuf out, Joined joined, int version) {
        JoinReply reply = joined.reply();
        int start = FrameWriter.begin(out, FrameType.JOINED);
        FrameWriter.text(out, reply.memoryNodeId());
        out.writeLongLE(reply.memoryNodeIncarnation());
        FrameWriter.text(out, reply.memoryNodeAddress());
        out.writeShortLE(reply.nodeId());
        out.writeIntLE(reply.incarnation());
        out.writeShortLE(reply.queueCapacity());
        out.writeLongLE(reply.regionBytes());
        out.writeLongLE(reply.leaseNanos());
        out.writeLongLE(reply.memoryNodeTimeNanos());
        MemberFrames.write(out, reply.membership(), version);
        FrameWriter.longs(out, reply.nodeSet().hashes());
        out.writeBytes(joined.memberKey());
        out.writeByte(joined.resumable() ? 1 : 0);
        FrameWriter.end(out, start);
    }

    /** Reads JOINED. */
    public static Joined readJoined(FrameBody body, int version) throws BadFrameException {
        String id = body.text();
        long incarnation = body.i64();
        String address = body.text();
        int nodeId = body.u16();
        int nodeIncarnation = body.i32();
        int capacity = body.u16();
        long regionBytes = body.i64();
        long lease = body.i64();
        JoinReply reply = new JoinReply(
                id,
                incarnation,
                address,
                nodeId,
                nodeIncarnation,
                capacity,
                regionBytes,
                lease,
                body.i64(),
                MemberFrames.read(body, version),
                body.nodeSet());
        return body.end(new Joined(reply, body.bytes(Wire.SECRET_BYTES), body.u8() != 0));
    }

    /**
     * RESUME.
     *
     * @param memoryNode incarnation of the memory node whose session it is
     * @param member the compute node
     * @param attempt number of the attempt, which grows within a session: an attempt that was overtaken changes nothing
     * @param oldest number of the oldest chain whose answer has not arrived
     * @param proof proof that the sender has the member key
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to the comparison in constant time.
    public record Resume(long memoryNode, MemberId member, int attempt, int oldest, byte[] proof) {
        /** Makes one with its proof, which holds for this connection only. */
        public static Resume prove(
                byte[] memberKey,
                long memoryNode,
                MemberId member,
                int attempt,
                int oldest,
                byte[] client,
                byte[] server) {
            return new Resume(
                    memoryNode,
                    member,
                    attempt,
                    oldest,
                    proof(memberKey, memoryNode, member, attempt, oldest, client, server));
        }

        /** Returns whether the proof is one by the member key and the nonces of this connection; compares in constant time. */
        public boolean isProved(byte[] memberKey, byte[] client, byte[] server) {
            return Proofs.same(proof(memberKey, memoryNode, member, attempt, oldest, client, server), proof);
        }

        private static byte[] proof(
                byte[] memberKey,
                long memoryNode,
                MemberId member,
                int attempt,
                int oldest,
                byte[] client,
                byte[] server) {
            byte[] numbers = ByteBuffer.allocate(2 * Integer.BYTES)
                    .putInt(attempt)
                    .putInt(oldest)
                    .array();
            return Proofs.prove(
                    memberKey,
                    "declock resume",
                    client,
                    server,
                    Proofs.identity(memoryNode, member.nodeId(), member.incarnation()),
                    numbers);
        }
    }

    /** Writes RESUME. */
    public static void writeResume(ByteBuf out, Resume resume) {
        int start = FrameWriter.begin(out, FrameType.RESUME);
        out.writeLongLE(resume.memoryNode());
        resume.member().write(out);
        out.writeIntLE(resume.attempt());
        out.writeIntLE(resume.oldest());
        out.writeBytes(resume.proof());
        FrameWriter.end(out, start);
    }

    /** Reads RESUME. */
    public static Resume readResume(FrameBody body) throws BadFrameException {
        return body.end(
                new Resume(body.i64(), MemberId.read(body), body.i32(), body.i32(), body.bytes(Wire.SECRET_BYTES)));
    }

    /**
     * Writes RESUMED. The answers to all chains before {@code next} that were unanswered follow, and the present members.
     *
     * @param next number of the first chain that was not executed
     */
    public static void writeResumed(ByteBuf out, int next) {
        FrameWriter.number(out, FrameType.RESUMED, next);
    }

    /** Reads RESUMED: the number of the first chain that was not executed. */
    public static int readResumed(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /**
     * The identity of a memory node.
     *
     * @param id stable id
     * @param incarnation another one after every start
     */
    public record Identity(String id, long incarnation) {}

    /** Writes IDENTIFY. */
    public static void writeIdentify(ByteBuf out, Identity asking) {
        identity(out, FrameType.IDENTIFY, asking);
    }

    /** Reads IDENTIFY. */
    public static Identity readIdentify(FrameBody body) throws BadFrameException {
        return identity(body);
    }

    /** Writes IDENTITY. */
    public static void writeIdentity(ByteBuf out, Identity asked) {
        identity(out, FrameType.IDENTITY, asked);
    }

    /** Reads IDENTITY. */
    public static Identity readIdentity(FrameBody body) throws BadFrameException {
        return identity(body);
    }

    /**
     * PROMISE.
     *
     * @param memoryNode id of the memory node whose candidates they are
     * @param term term of the candidate that asks
     * @param nanos how long the promise is to last from its receipt
     */
    public record Promise(String memoryNode, long term, long nanos) {}

    /** Writes PROMISE. */
    public static void writePromise(ByteBuf out, Promise promise) {
        int start = FrameWriter.begin(out, FrameType.PROMISE);
        FrameWriter.text(out, promise.memoryNode());
        out.writeLongLE(promise.term());
        out.writeLongLE(promise.nanos());
        FrameWriter.end(out, start);
    }

    /** Reads PROMISE. */
    public static Promise readPromise(FrameBody body) throws BadFrameException {
        return body.end(new Promise(body.text(), body.i64(), body.i64()));
    }

    /** Writes PROMISED. */
    public static void writePromised(ByteBuf out, boolean promised) {
        int start = FrameWriter.begin(out, FrameType.PROMISED);
        out.writeByte(promised ? 1 : 0);
        FrameWriter.end(out, start);
    }

    /** Reads PROMISED. */
    public static boolean readPromised(FrameBody body) throws BadFrameException {
        return body.end(body.u8()) != 0;
    }

    private static void identity(ByteBuf out, FrameType type, Identity identity) {
        int start = FrameWriter.begin(out, type);
        FrameWriter.text(out, identity.id());
        out.writeLongLE(identity.incarnation());
        FrameWriter.end(out, start);
    }

    private static Identity identity(FrameBody body) throws BadFrameException {
        return body.end(new Identity(body.text(), body.i64()));
    }
}
