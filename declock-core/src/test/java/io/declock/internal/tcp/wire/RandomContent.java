// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.LockMode;
import io.declock.LockView;
import io.declock.Purpose;
import io.declock.internal.layout.QueueEntry;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.GrantedValue;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.LockUse;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.StoredValue;
import io.declock.spi.TestChain;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random parts of frames, within the bounds of the protocol. */
record RandomContent(Random random, int version) {
    /** States of a lock before version 7. */
    private static final int FORMER_STATES = 3;
    /** Kinds of peer message before version 7. */
    private static final int FORMER_KINDS = 7;

    private static final int FORMER_VERBS = 5;
    private static final int VERBS = FORMER_VERBS + 2;

    private static final String[] CHARACTERS = {"a", "Z", "0", ":", "/", "[", "ä", "\u2713", "\ud83d\udd12"};

    VerbChain verbs() {
        VerbChain chain = TestChain.forPurpose(Purpose.INSPECT);
        int size = 1 + random.nextInt(VerbChain.MAX_VERBS);
        // A chain carries one WRITE of several words or one extended atomic.
        int longWrite = random.nextInt(size);
        for (int i = 0; i < size; i++) {
            int kind = random.nextInt(version >= Wire.EXTENDED_ATOMICS_VERSION ? VERBS : FORMER_VERBS);
            switch (i == longWrite ? kind : Math.min(kind, FORMER_VERBS - 1)) {
                case 0 -> chain.fetchAndAdd(i64(), i64());
                case 1 -> chain.compareAndSwap(i64(), i64(), i64());
                case 2 -> chain.read(i64(), 1 + size(Wire.MAX_WORDS - 1));
                case 3 -> chain.write(i64(), i64());
                case FORMER_VERBS ->
                    chain.maskedCompareAndSwap(
                            i64(),
                            random.longs(ExtendedAtomics.COMPARE_AND_SWAP_OPERANDS)
                                    .toArray());
                case FORMER_VERBS + 1 ->
                    chain.maskedFetchAndAdd(
                            i64(),
                            random.longs(ExtendedAtomics.FETCH_AND_ADD_OPERANDS).toArray());
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

    PeerMessage message() {
        MemberId from = member();
        MemberId to = member();
        PeerMessage.Kind kind = of(kinds());
        PeerMessage message = new PeerMessage(
                kind,
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
        boolean tells = kind == PeerMessage.Kind.GRANT && version >= Wire.VALUES_VERSION && random.nextBoolean();
        return tells ? telling(message, random.nextInt(4) == 0 ? null : storedValue()) : message;
    }

    /** Returns a grant that tells of a value, or that there is none. */
    static PeerMessage telling(PeerMessage grant, @Nullable StoredValue stored) {
        return new PeerMessage(
                grant.kind(),
                grant.memoryNode(),
                grant.fromNode(),
                grant.fromIncarnation(),
                grant.toNode(),
                grant.toIncarnation(),
                grant.record(),
                grant.epoch(),
                grant.index(),
                grant.detail(),
                grant.entries(),
                new GrantedValue(stored));
    }

    private StoredValue storedValue() {
        return new StoredValue(i64(), text(), bytes(size(StoredValue.MAX_BYTES)));
    }

    Membership membership() {
        List<Member> members = new ArrayList<>();
        int count = size(QueueEntry.MAX_NODE_ID);
        for (int nodeId = 1; nodeId <= count; nodeId++) {
            members.add(new Member(nodeId, i32(), text(), text()));
        }
        return new Membership(i64(), members);
    }

    MemberId member() {
        return new MemberId(random.nextInt(QueueEntry.MAX_NODE_ID + 1), i32());
    }

    /** Returns a small number, and rarely the largest. */
    int size(int largest) {
        return random.nextInt(200) == 0 ? largest : random.nextInt(6);
    }

    String text() {
        StringBuilder text = new StringBuilder();
        int length = size(Wire.MAX_TEXT / 4);
        for (int i = 0; i < length; i++) {
            text.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
        }
        return text.toString();
    }

    byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    int i32() {
        return random.nextInt();
    }

    long i64() {
        return random.nextLong();
    }

    BitSet nodeIds() {
        BitSet ids = new BitSet();
        int count = size(QueueEntry.MAX_NODE_ID);
        for (int i = 0; i < count; i++) {
            ids.set(random.nextInt(QueueEntry.MAX_NODE_ID + 1));
        }
        return ids;
    }

    HandshakeFrames.PeerAuth peerAuth() {
        return new HandshakeFrames.PeerAuth(i64(), member(), member(), secret());
    }

    JoinRequest join() {
        FormerMemoryNode former = new FormerMemoryNode(i64(), text());
        return new JoinRequest(i64(), i64(), text(), text(), nodeSet(), i64(), i64(), former, random.nextBoolean());
    }

    ControlFrames.Restore restore() {
        return new ControlFrames.Restore(name(), random.nextBoolean(), i64());
    }

    JoinReply joinReply() {
        MemberId self = member();
        return new JoinReply(
                text(),
                i64(),
                text(),
                self.nodeId(),
                self.incarnation(),
                random.nextInt(65_536),
                i64(),
                i64(),
                i64(),
                membership(),
                nodeSet());
    }

    NodeSet nodeSet() {
        return NodeSet.ofHashes(random.longs(random.nextInt(5)).toArray());
    }

    private NodeList.Node node() {
        return new NodeList.Node(text(), text());
    }

    NodeList nodeList() {
        List<NodeList.Node> nodes = new ArrayList<>();
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            nodes.add(node());
        }
        return new NodeList(i64(), nodes, node(), random.nextBoolean());
    }

    NodeListState nodeListState() {
        List<String> awaited = new ArrayList<>();
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            awaited.add(text());
        }
        return new NodeListState(nodeList(), awaited, random.nextInt(4_096), text());
    }

    HandshakeFrames.Identity identity() {
        return new HandshakeFrames.Identity(text(), i64());
    }

    HeartbeatReply heartbeat() {
        return new HeartbeatReply(i64(), i64(), i64(), i64());
    }

    ControlFrames.Reclaim reclaim() {
        return new ControlFrames.Reclaim(
                i64(), random.longs(size(Wire.MAX_RECLAIM)).toArray());
    }

    byte[] name() {
        return bytes(random.nextInt(Wire.MAX_TEXT + 1));
    }

    byte[] secret() {
        return bytes(Wire.SECRET_BYTES);
    }

    <T> T of(T[] all) {
        return all[random.nextInt(all.length)];
    }

    LockUse lockUse() {
        LockView.State[] states = LockView.State.values();
        LockView.State[] known = version >= Wire.KEEPING_VERSION ? states : Arrays.copyOf(states, FORMER_STATES);
        return new LockUse(of(known), of(LockMode.values()), text(), i64(), i64());
    }

    private PeerMessage.Kind[] kinds() {
        PeerMessage.Kind[] all = PeerMessage.Kind.values();
        return version >= Wire.KEEPING_VERSION ? all : Arrays.copyOf(all, FORMER_KINDS);
    }
}
