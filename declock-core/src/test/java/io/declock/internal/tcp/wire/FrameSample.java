// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.GivenUp;
import io.declock.spi.LockAnswer;
import io.declock.spi.LockInquiry;
import io.declock.spi.Member;
import io.declock.spi.Resolution;
import io.declock.spi.StoredValue;
import io.declock.spi.TestChain;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;

/** A frame with random content: what is written, and how a frame of its type is written and read. */
public final class FrameSample {
    /** Reads a frame's body. */
    private interface Reader {
        Object read(FrameBody body) throws BadFrameException;
    }

    /** Writes a request, or the answer to one. */
    private interface NumberedWriter<T> {
        void write(ByteBuf out, int request, T value);
    }

    private final Object value;
    private final FrameConnection.Frame writer;
    private final Reader reader;

    private FrameSample(Object value, FrameConnection.Frame writer, Reader reader) {
        this.value = value;
        this.writer = writer;
        this.reader = reader;
    }

    /** Returns what {@link #read} must return after {@link #write}. */
    Object value() {
        return value;
    }

    /** Writes the whole frame. */
    public void write(ByteBuf out) {
        writer.write(out);
    }

    /** Reads a body of this type of frame. */
    public Object read(FrameBody body) throws BadFrameException {
        return reader.read(body);
    }

    /** Returns a frame of a type; for AUTH either that towards a memory node or that towards a peer. */
    public static FrameSample of(FrameType type, Random random) {
        return of(type, random, Wire.VERSION);
    }

    /** The same, as a version of the protocol has it. */
    static FrameSample of(FrameType type, Random random, int version) {
        RandomContent any = new RandomContent(random, version);
        int number = any.i32();
        return switch (type) {
            case AUTH ->
                random.nextBoolean()
                        ? sample(any.secret(), HandshakeFrames::writeAuth, HandshakeFrames::readAuth)
                        : sample(any.peerAuth(), HandshakeFrames::writePeerAuth, HandshakeFrames::readPeerAuth);
            case AUTHENTICATED ->
                sample(any.secret(), HandshakeFrames::writeAuthenticated, HandshakeFrames::readAuthenticated);
            case JOIN ->
                sample(
                        any.join(),
                        (out, join) -> HandshakeFrames.writeJoin(out, join, join.peerAddress()),
                        HandshakeFrames::readJoin);
            case JOINED ->
                sample(
                        new HandshakeFrames.Joined(any.joinReply(), any.secret(), random.nextBoolean()),
                        (out, joined) -> HandshakeFrames.writeJoined(out, joined, version),
                        body -> HandshakeFrames.readJoined(body, version));
            case RESUME ->
                sample(
                        new HandshakeFrames.Resume(
                                any.i64(), any.member(), random.nextInt(), random.nextInt(), any.secret()),
                        HandshakeFrames::writeResume,
                        HandshakeFrames::readResume);
            case RESUMED -> sample(number, HandshakeFrames::writeResumed, HandshakeFrames::readResumed);
            case IDENTIFY -> sample(any.identity(), HandshakeFrames::writeIdentify, HandshakeFrames::readIdentify);
            case PROMISE ->
                sample(
                        new HandshakeFrames.Promise(any.text(), any.i64(), any.i64()),
                        HandshakeFrames::writePromise,
                        HandshakeFrames::readPromise);
            case PROMISED ->
                sample(random.nextBoolean(), HandshakeFrames::writePromised, HandshakeFrames::readPromised);
            case IDENTITY -> sample(any.identity(), HandshakeFrames::writeIdentity, HandshakeFrames::readIdentity);
            case HEARTBEAT -> sample(number, ControlFrames::writeHeartbeat, ControlFrames::readHeartbeat);
            case HEARTBEAT_REPLY ->
                numbered(
                        number, any.heartbeat(), ControlFrames::writeHeartbeatReply, ControlFrames::readHeartbeatReply);
            case RESOLVE -> numbered(number, any.name(), ControlFrames::writeResolve, ControlFrames::readResolve);
            case LOOK_UP -> numbered(number, any.name(), ControlFrames::writeLookUp, ControlFrames::readLookUp);
            case RESOLVED ->
                numbered(
                        number,
                        new ControlFrames.Found(
                                random.nextBoolean()
                                        ? new Resolution(any.i64(), any.i64(), random.nextBoolean())
                                        : null),
                        (out, request, found) -> ControlFrames.writeResolved(out, request, found.resolution()),
                        ControlFrames::readResolved);
            case DECLARE_NODE_SET ->
                numbered(number, any.nodeSet(), ControlFrames::writeDeclareNodeSet, ControlFrames::readDeclareNodeSet);
            case RESTORE -> numbered(number, any.restore(), ControlFrames::writeRestore, ControlFrames::readRestore);
            case RESTORED ->
                numbered(
                        number,
                        new ControlFrames.Restored(any.i64()),
                        ControlFrames::writeRestored,
                        ControlFrames::readRestored);
            case RESERVE ->
                numbered(
                        number,
                        new ControlFrames.Reserve(any.i64(), any.i64()),
                        ControlFrames::writeReserve,
                        ControlFrames::readReserve);
            case READ_VALUE -> numbered(number, any.i64(), ValueFrames::writeReadValue, ValueFrames::readReadValue);
            case WRITE_VALUE ->
                numbered(
                        number,
                        new ValueWriting(
                                any.i64(),
                                any.i64(),
                                random.nextInt(),
                                any.i64(),
                                random.nextBoolean() ? any.name() : null),
                        ValueFrames::writeWriteValue,
                        ValueFrames::readWriteValue);
            case VALUE ->
                numbered(
                        number,
                        new ValueReading(
                                any.i64(),
                                any.i64(),
                                random.nextBoolean() ? new StoredValue(any.i64(), any.text(), any.name()) : null),
                        ValueFrames::writeValue,
                        ValueFrames::readValue);
            case LOCK_INQUIRY ->
                sample(
                        new LockInquiry(
                                any.i64(),
                                any.of(LockInquiry.Kind.values()),
                                any.text() + '\0' + any.text(),
                                any.i64(),
                                any.text()),
                        InquiryFrames::writeLockInquiry,
                        InquiryFrames::readLockInquiry);
            case LOCK_ANSWER ->
                sample(
                        new LockAnswer(any.i64(), List.of(any.lockUse(), any.lockUse()), random.nextInt(100)),
                        InquiryFrames::writeLockAnswer,
                        InquiryFrames::readLockAnswer);
            case MOVED -> sample(number, ControlFrames::writeMoved, ControlFrames::readMoved);
            case AWAIT_GRACE -> sample(number, ControlFrames::writeAwaitGrace, ControlFrames::readAwaitGrace);
            case GRACE_OVER ->
                numbered(
                        number,
                        new ControlFrames.GraceOver(any.i64()),
                        ControlFrames::writeGraceOver,
                        ControlFrames::readGraceOver);
            case LEAVE -> sample(number, ControlFrames::writeLeave, ControlFrames::readLeave);
            case DONE -> sample(number, ControlFrames::writeDone, ControlFrames::readDone);
            case REFUSED ->
                sample(
                        new ControlFrames.Refusal(number, any.of(Reason.values()), any.text()),
                        (out, refusal) ->
                                ControlFrames.writeRefused(out, refusal.request(), refusal.reason(), refusal.message()),
                        ControlFrames::readRefused);
            case GOODBYE -> sample(any.text(), ControlFrames::writeGoodbye, ControlFrames::readGoodbye);
            case RECLAIM_PROPOSAL ->
                sample(
                        any.reclaim(),
                        (out, reclaim) -> ControlFrames.writeReclaimProposal(out, reclaim.round(), reclaim.records()),
                        ControlFrames::readReclaimProposal);
            case RECLAIM_ANSWER ->
                sample(
                        any.reclaim(),
                        (out, reclaim) -> ControlFrames.writeReclaimAnswer(out, reclaim.round(), reclaim.records()),
                        ControlFrames::readReclaimAnswer);
            case MEMBERS -> sample(number, MemberFrames::writeMembers, MemberFrames::readMembers);
            case MEMBERSHIP ->
                sample(
                        any.membership(),
                        (out, members) -> MemberFrames.writeMembership(out, members, version),
                        body -> MemberFrames.readMembership(body, version));
            case MEMBERSHIP_CHANGE ->
                sample(
                        any.membership().changeTo(any.membership()),
                        (out, change) -> MemberFrames.writeMembershipChange(out, change, version),
                        body -> MemberFrames.readMembershipChange(body, version));
            case RECORD_MEMBERS ->
                numbered(number, any.i64(), MemberFrames::writeRecordMembers, MemberFrames::readRecordMembers);
            case RECORD_MEMBERSHIP ->
                numbered(
                        number,
                        any.nodeIds(),
                        (out, request, ids) -> MemberFrames.writeRecordMembership(
                                out,
                                request,
                                ids.stream()
                                        .mapToObj(id -> new Member(id, 1, "", ""))
                                        .toList()),
                        MemberFrames::readRecordMembership);
            case ASK_NODES -> sample(number, NodeListFrames::writeAskNodes, NodeListFrames::readAskNodes);
            case PROPOSE_NODES ->
                numbered(number, any.nodeList(), NodeListFrames::writeProposeNodes, NodeListFrames::readProposeNodes);
            case DECLARE_NODES ->
                numbered(number, any.nodeList(), NodeListFrames::writeDeclareNodes, NodeListFrames::readDeclareNodes);
            case AWAIT_GIVEN_UP ->
                numbered(number, any.i64(), NodeListFrames::writeAwaitGivenUp, NodeListFrames::readAwaitGivenUp);
            case TAKE_OVER ->
                numbered(
                        number,
                        new GivenUp(any.text(), any.i64(), any.i64()),
                        NodeListFrames::writeTakeOver,
                        NodeListFrames::readTakeOver);
            case NODES -> sample(any.nodeList(), NodeListFrames::writeNodes, NodeListFrames::readNodes);
            case NODES_STATE ->
                numbered(number, any.nodeListState(), NodeListFrames::writeNodesState, NodeListFrames::readNodesState);
            case GIVEN_UP ->
                numbered(
                        number,
                        new NodeListFrames.GaveUp(any.i64()),
                        NodeListFrames::writeGivenUp,
                        NodeListFrames::readGivenUp);
            case TAKEN_OVER ->
                numbered(
                        number,
                        new NodeListFrames.TakenOver(any.i64()),
                        NodeListFrames::writeTakenOver,
                        NodeListFrames::readTakenOver);
            case TICKET -> numbered(number, any.member(), PeerFrames::writeTicket, PeerFrames::readTicket);
            case TICKET_REPLY ->
                numbered(
                        number,
                        new PeerFrames.Ticket(any.secret()),
                        (out, request, ticket) -> PeerFrames.writeTicketReply(out, request, ticket.bytes()),
                        PeerFrames::readTicketReply);
            case PEER_PROBE ->
                new FrameSample("", PeerFrames::writePeerProbe, body -> {
                    PeerFrames.readPeerProbe(body);
                    return "";
                });
            case PEER_ECHO ->
                new FrameSample("", PeerFrames::writePeerEcho, body -> {
                    PeerFrames.readPeerEcho(body);
                    return "";
                });
            case PEER_MESSAGE -> sample(any.message(), PeerFrames::writePeerMessage, PeerFrames::readPeerMessage);
            case RDMA_ACCESS -> sample(number, RdmaFrames::writeRdmaAccess, RdmaFrames::readRdmaAccess);
            case RDMA_ACCESS_REPLY -> {
                RdmaOffer offer = new RdmaOffer(any.text(), random.nextInt(65_536), any.secret());
                yield numbered(
                        number,
                        new RdmaFrames.Offered(random.nextBoolean() ? offer : null),
                        (out, request, offered) -> RdmaFrames.writeRdmaAccessReply(out, request, offered.offer()),
                        RdmaFrames::readRdmaAccessReply);
            }
            case RDMA_GRANT -> sample(number, RdmaFrames::writeRdmaGrant, RdmaFrames::readRdmaGrant);
            case RDMA_GRANT_REPLY ->
                numbered(
                        number,
                        new RdmaFrames.Grant(any.bytes(random.nextInt(Wire.MAX_GRANT_BYTES + 1))),
                        (out, request, grant) -> RdmaFrames.writeRdmaGrantReply(out, request, grant.bytes()),
                        RdmaFrames::readRdmaGrantReply);
            case CHAIN -> chain(number, any.verbs());
            case CHAIN_DONE -> chainDone(number, any);
        };
    }

    private static <T> FrameSample sample(T value, BiConsumer<ByteBuf, T> writer, Reader reader) {
        return new FrameSample(value, out -> writer.accept(out, value), reader);
    }

    private static <T> FrameSample numbered(int number, T value, NumberedWriter<T> writer, Reader reader) {
        return new FrameSample(new Numbered<>(number, value), out -> writer.write(out, number, value), reader);
    }

    /** The verbs as the frame shows them, and as a chain has them to which they were copied. */
    private static FrameSample chain(int sequence, VerbChain chain) {
        List<Object> all = described(sequence, chain);
        return new FrameSample(
                List.of(all, all), out -> ChainFrame.writeChain(out, sequence, sequence, chain), body -> {
                    ChainFrame read = new ChainFrame();
                    read.readChain(body);
                    VerbChain copy = TestChain.forPurpose(Purpose.INSPECT);
                    read.copyTo(copy);
                    return List.of(described(read), described(read.sequence(), copy));
                });
    }

    /** Returns how many words a verb brings along. */
    private static int contents(Verb verb, int words) {
        if (verb.isExtended()) {
            return ExtendedAtomics.operands(verb);
        }
        return verb == Verb.READ ? 0 : words;
    }

    private static List<Object> described(int sequence, VerbChain chain) {
        List<Object> all = new ArrayList<>(List.of(sequence, chain.size()));
        for (int i = 0; i < chain.size(); i++) {
            all.addAll(List.of(chain.verb(i), chain.address(i), chain.words(i)));
            for (int w = 0; w < contents(chain.verb(i), chain.words(i)); w++) {
                all.add(
                        chain.verb(i) == Verb.FETCH_AND_ADD || chain.verb(i) == Verb.COMPARE_AND_SWAP
                                ? chain.operand(i)
                                : chain.writeWord(i, w));
            }
            if (chain.verb(i) == Verb.COMPARE_AND_SWAP) {
                all.add(chain.desired(i));
            }
        }
        return all;
    }

    private static List<Object> described(ChainFrame chain) {
        List<Object> all = new ArrayList<>(List.of(chain.sequence(), chain.size()));
        for (int i = 0; i < chain.size(); i++) {
            all.addAll(List.of(chain.verb(i), chain.address(i), chain.words(i)));
            for (int w = 0; w < contents(chain.verb(i), chain.words(i)); w++) {
                all.add(chain.operand(i, w));
            }
            if (chain.verb(i) == Verb.COMPARE_AND_SWAP) {
                all.add(chain.desired(i));
            }
        }
        return all;
    }

    private static FrameSample chainDone(int sequence, RandomContent any) {
        VerbChain chain = any.verbs();
        List<Object> value = new ArrayList<>(List.of(sequence));
        forEachResult(chain, (i, w) -> value.add(any.i64()));
        return new FrameSample(
                value,
                out -> ChainDoneFrame.writeChainDone(
                        out, sequence, all -> value.stream().skip(1).forEach(word -> all.writeLongLE((long) word))),
                body -> {
                    List<Object> read = new ArrayList<>(List.of(ChainDoneFrame.readSequence(body)));
                    ChainDoneFrame results = new ChainDoneFrame();
                    results.readChainDone(body, chain);
                    forEachResult(chain, (i, w) -> read.add(((VerbResults) results).word(i, w)));
                    return read;
                });
    }

    private interface ResultVisitor {
        void visit(int verb, int word);
    }

    private static void forEachResult(VerbChain chain, ResultVisitor visitor) {
        for (int i = 0; i < chain.size(); i++) {
            for (int w = 0; w < chain.words(i) && chain.verb(i) != Verb.WRITE; w++) {
                visitor.visit(i, w);
            }
        }
    }
}
