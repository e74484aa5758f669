// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.memorynode.RdmaOffer;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.Resolution;
import io.declock.spi.TestChain;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/** A frame with random content: what is written, and how a frame of its type is written and read. */
public final class FrameSample {
    /** Reads a frame's body. */
    private interface Reader {
        Object read(FrameBody body) throws BadFrameException;
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

    /** Returns a frame of a type. */
    public static FrameSample of(FrameType type, Random random) {
        return new Source(random).of(type);
    }

    private record Source(Random random) {
        private static final String[] CHARACTERS = {"a", "Z", "0", ":", "/", "[", "ä", "\u2713", "\ud83d\udd12"};

        FrameSample of(FrameType type) {
            return switch (type) {
                case AUTH -> random.nextBoolean() ? auth() : peerAuth();
                case AUTHENTICATED, JOIN, JOINED, IDENTIFY, IDENTITY -> handshake(type);
                case HEARTBEAT, LEAVE, DONE, MEMBERS, RDMA_ACCESS, RDMA_GRANT -> number(type);
                case HEARTBEAT_REPLY, DECLARE_NODE_SET, REFUSED, GOODBYE -> session(type);
                case RESOLVE, LOOK_UP, RESOLVED -> name(type);
                case RECLAIM_PROPOSAL, RECLAIM_ANSWER -> reclaim(type);
                case MEMBERSHIP, RECORD_MEMBERS, RECORD_MEMBERSHIP -> members(type);
                case PEER_MESSAGE, PEER_PROBE, PEER_ECHO, TICKET, TICKET_REPLY -> peer(type);
                case RDMA_ACCESS_REPLY, RDMA_GRANT_REPLY -> rdma(type);
                case CHAIN -> chain();
                case CHAIN_DONE -> chainDone();
            };
        }

        private FrameSample auth() {
            byte[] proof = bytes(Wire.SECRET_BYTES);
            return new FrameSample(proof, out -> HandshakeFrames.writeAuth(out, proof), HandshakeFrames::readAuth);
        }

        private FrameSample peerAuth() {
            var auth = new HandshakeFrames.PeerAuth(i64(), member(), member(), bytes(Wire.SECRET_BYTES));
            return new FrameSample(
                    auth, out -> HandshakeFrames.writePeerAuth(out, auth), HandshakeFrames::readPeerAuth);
        }

        private FrameSample handshake(FrameType type) {
            byte[] secret = bytes(Wire.SECRET_BYTES);
            var identity = new HandshakeFrames.Identity(text(), i64());
            return switch (type) {
                case AUTHENTICATED ->
                    new FrameSample(
                            secret,
                            out -> HandshakeFrames.writeAuthenticated(out, secret),
                            HandshakeFrames::readAuthenticated);
                case JOIN -> {
                    FormerMemoryNode former = new FormerMemoryNode(i64(), text());
                    JoinRequest join = new JoinRequest(i64(), i64(), text(), text(), i64(), i64(), i64(), former);
                    yield new FrameSample(join, out -> HandshakeFrames.writeJoin(out, join), HandshakeFrames::readJoin);
                }
                case JOINED -> {
                    MemberId self = member();
                    JoinReply reply = new JoinReply(
                            text(),
                            i64(),
                            text(),
                            self.nodeId(),
                            self.incarnation(),
                            random.nextInt(65_536),
                            i64(),
                            i64(),
                            i64(),
                            membership());
                    yield new FrameSample(
                            new HandshakeFrames.Joined(reply, secret),
                            out -> HandshakeFrames.writeJoined(out, reply, secret),
                            HandshakeFrames::readJoined);
                }
                case IDENTIFY ->
                    new FrameSample(
                            identity,
                            out -> HandshakeFrames.writeIdentify(out, identity),
                            HandshakeFrames::readIdentify);
                default ->
                    new FrameSample(
                            identity,
                            out -> HandshakeFrames.writeIdentity(out, identity),
                            HandshakeFrames::readIdentity);
            };
        }

        private FrameSample number(FrameType type) {
            int number = i32();
            return switch (type) {
                case HEARTBEAT ->
                    new FrameSample(
                            number, out -> ControlFrames.writeHeartbeat(out, number), ControlFrames::readHeartbeat);
                case LEAVE ->
                    new FrameSample(number, out -> ControlFrames.writeLeave(out, number), ControlFrames::readLeave);
                case DONE ->
                    new FrameSample(number, out -> ControlFrames.writeDone(out, number), ControlFrames::readDone);
                case MEMBERS ->
                    new FrameSample(number, out -> MemberFrames.writeMembers(out, number), MemberFrames::readMembers);
                case RDMA_ACCESS ->
                    new FrameSample(number, out -> RdmaFrames.writeRdmaAccess(out, number), RdmaFrames::readRdmaAccess);
                default ->
                    new FrameSample(number, out -> RdmaFrames.writeRdmaGrant(out, number), RdmaFrames::readRdmaGrant);
            };
        }

        private FrameSample session(FrameType type) {
            int number = i32();
            String text = text();
            return switch (type) {
                case HEARTBEAT_REPLY -> {
                    HeartbeatReply reply = new HeartbeatReply(i64(), i64(), i64(), i64());
                    yield new FrameSample(
                            new Numbered<>(number, reply),
                            out -> ControlFrames.writeHeartbeatReply(out, number, reply),
                            ControlFrames::readHeartbeatReply);
                }
                case DECLARE_NODE_SET -> {
                    long digest = i64();
                    yield new FrameSample(
                            new Numbered<>(number, digest),
                            out -> ControlFrames.writeDeclareNodeSet(out, number, digest),
                            ControlFrames::readDeclareNodeSet);
                }
                case REFUSED -> {
                    Reason reason = Reason.values()[random.nextInt(Reason.values().length)];
                    yield new FrameSample(
                            new ControlFrames.Refusal(number, reason, text),
                            out -> ControlFrames.writeRefused(out, number, reason, text),
                            ControlFrames::readRefused);
                }
                default ->
                    new FrameSample(text, out -> ControlFrames.writeGoodbye(out, text), ControlFrames::readGoodbye);
            };
        }

        private FrameSample name(FrameType type) {
            int number = i32();
            byte[] name = bytes(random.nextInt(Wire.MAX_TEXT + 1));
            Resolution resolution = random.nextBoolean() ? new Resolution(i64(), i64()) : null;
            return switch (type) {
                case RESOLVE ->
                    new FrameSample(
                            new Numbered<>(number, name),
                            out -> ControlFrames.writeResolve(out, number, name),
                            ControlFrames::readResolve);
                case LOOK_UP ->
                    new FrameSample(
                            new Numbered<>(number, name),
                            out -> ControlFrames.writeLookUp(out, number, name),
                            ControlFrames::readLookUp);
                default ->
                    new FrameSample(
                            new Numbered<>(number, new ControlFrames.Found(resolution)),
                            out -> ControlFrames.writeResolved(out, number, resolution),
                            ControlFrames::readResolved);
            };
        }

        private FrameSample reclaim(FrameType type) {
            long round = i64();
            long[] records = random.longs(size(Wire.MAX_RECLAIM)).toArray();
            var value = new ControlFrames.Reclaim(round, records);
            return type == FrameType.RECLAIM_PROPOSAL
                    ? new FrameSample(
                            value,
                            out -> ControlFrames.writeReclaimProposal(out, round, records),
                            ControlFrames::readReclaimProposal)
                    : new FrameSample(
                            value,
                            out -> ControlFrames.writeReclaimAnswer(out, round, records),
                            ControlFrames::readReclaimAnswer);
        }

        private FrameSample members(FrameType type) {
            int number = i32();
            long record = i64();
            Membership all = membership();
            return switch (type) {
                case MEMBERSHIP ->
                    new FrameSample(
                            new Numbered<>(number, all),
                            out -> MemberFrames.writeMembership(out, number, all),
                            MemberFrames::readMembership);
                case RECORD_MEMBERS ->
                    new FrameSample(
                            new Numbered<>(number, record),
                            out -> MemberFrames.writeRecordMembers(out, number, record),
                            MemberFrames::readRecordMembers);
                default -> {
                    BitSet users = new BitSet();
                    all.members().stream()
                            .filter(member -> random.nextBoolean())
                            .forEach(m -> users.set(m.nodeId()));
                    RecordMembers members = RecordMembers.of(all, users);
                    yield new FrameSample(
                            new Numbered<>(number, members),
                            out -> MemberFrames.writeRecordMembership(out, number, members),
                            MemberFrames::readRecordMembership);
                }
            };
        }

        private FrameSample peer(FrameType type) {
            int number = i32();
            return switch (type) {
                case PEER_MESSAGE -> {
                    PeerMessage message = message();
                    yield new FrameSample(
                            message, out -> PeerFrames.writePeerMessage(out, message), PeerFrames::readPeerMessage);
                }
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
                case TICKET -> {
                    MemberId peer = member();
                    yield new FrameSample(
                            new Numbered<>(number, peer),
                            out -> PeerFrames.writeTicket(out, number, peer),
                            PeerFrames::readTicket);
                }
                default -> {
                    byte[] ticket = bytes(Wire.SECRET_BYTES);
                    yield new FrameSample(
                            new Numbered<>(number, new PeerFrames.Ticket(ticket)),
                            out -> PeerFrames.writeTicketReply(out, number, ticket),
                            PeerFrames::readTicketReply);
                }
            };
        }

        private PeerMessage message() {
            PeerMessage.Kind[] kinds = PeerMessage.Kind.values();
            MemberId from = member();
            MemberId to = member();
            return new PeerMessage(
                    kinds[random.nextInt(kinds.length)],
                    i64(),
                    from.nodeId(),
                    from.incarnation(),
                    to.nodeId(),
                    to.incarnation(),
                    i64(),
                    i64(),
                    i32(),
                    i64(),
                    random.longs(random.nextInt(PeerMessage.MAX_ENTRIES + 1)).toArray());
        }

        private FrameSample rdma(FrameType type) {
            int number = i32();
            if (type == FrameType.RDMA_ACCESS_REPLY) {
                RdmaOffer offer = random.nextBoolean()
                        ? new RdmaOffer(text(), random.nextInt(65_536), bytes(Wire.SECRET_BYTES))
                        : null;
                return new FrameSample(
                        new Numbered<>(number, new RdmaFrames.Offered(offer)),
                        out -> RdmaFrames.writeRdmaAccessReply(out, number, offer),
                        RdmaFrames::readRdmaAccessReply);
            }
            byte[] grant = bytes(random.nextInt(Wire.MAX_GRANT_BYTES + 1));
            return new FrameSample(
                    new Numbered<>(number, new RdmaFrames.Grant(grant)),
                    out -> RdmaFrames.writeRdmaGrantReply(out, number, grant),
                    RdmaFrames::readRdmaGrantReply);
        }

        private FrameSample chain() {
            int sequence = i32();
            VerbChain chain = verbs();
            return new FrameSample(
                    described(sequence, chain), out -> ChainFrame.writeChain(out, sequence, chain), body -> {
                        ChainFrame read = new ChainFrame();
                        read.readChain(body);
                        return described(read);
                    });
        }

        private static List<Object> described(int sequence, VerbChain chain) {
            List<Object> all = new ArrayList<>(List.of(sequence, chain.size()));
            for (int i = 0; i < chain.size(); i++) {
                all.addAll(List.of(chain.verb(i), chain.address(i), chain.words(i)));
                for (int w = 0; w < chain.words(i) && chain.verb(i) != Verb.READ; w++) {
                    all.add(chain.verb(i) == Verb.WRITE ? chain.writeWord(i, w) : chain.operand(i));
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
                for (int w = 0; w < chain.words(i) && chain.verb(i) != Verb.READ; w++) {
                    all.add(chain.operand(i, w));
                }
                if (chain.verb(i) == Verb.COMPARE_AND_SWAP) {
                    all.add(chain.desired(i));
                }
            }
            return all;
        }

        private FrameSample chainDone() {
            int sequence = i32();
            VerbChain chain = verbs();
            List<Object> value = new ArrayList<>(List.of(sequence));
            forEachResult(chain, (i, w) -> value.add(i64()));
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

        private VerbChain verbs() {
            VerbChain chain = TestChain.forPurpose(Purpose.INSPECT);
            int size = 1 + random.nextInt(VerbChain.MAX_VERBS);
            // A chain carries one WRITE of several words.
            int longWrite = random.nextInt(size);
            for (int i = 0; i < size; i++) {
                switch (random.nextInt(5)) {
                    case 0 -> chain.fetchAndAdd(i64(), i64());
                    case 1 -> chain.compareAndSwap(i64(), i64(), i64());
                    case 2 -> chain.read(i64(), 1 + size(Wire.MAX_WORDS - 1));
                    case 3 -> chain.write(i64(), i64());
                    default -> {
                        long[] words = random.longs(i == longWrite ? 1 + size(Wire.MAX_WORDS - 1) : 1)
                                .toArray();
                        if (i == longWrite) {
                            chain.write(i64(), words);
                        } else {
                            chain.write(i64(), words[0]);
                        }
                    }
                }
            }
            return chain;
        }

        private Membership membership() {
            List<Member> members = new ArrayList<>();
            for (int nodeId = 1; nodeId <= size(255); nodeId++) {
                members.add(new Member(nodeId, i32(), text(), text()));
            }
            return new Membership(i64(), members);
        }

        private MemberId member() {
            return new MemberId(random.nextInt(256), i32());
        }

        /** Returns a small number, and rarely the largest. */
        private int size(int largest) {
            return random.nextInt(200) == 0 ? largest : random.nextInt(6);
        }

        private String text() {
            StringBuilder text = new StringBuilder();
            int length = size(Wire.MAX_TEXT / 4);
            for (int i = 0; i < length; i++) {
                text.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
            }
            return text.toString();
        }

        private byte[] bytes(int count) {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            return bytes;
        }

        private int i32() {
            return random.nextInt();
        }

        private long i64() {
            return random.nextLong();
        }
    }
}
