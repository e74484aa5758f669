// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The private data of connection requests and acceptances; docs/wire-protocol.md is the specification. */
final class Greetings {
    static final int TOKEN_BYTES = 32;
    /** The number of bytes of a proof that fit into a request. */
    static final int REQUEST_PROOF_BYTES = 24;

    private static final int MAGIC = 0x4D52_4344;
    private static final byte VERSION = 2;
    private static final byte TO_MEMORY_NODE = 1;
    private static final byte TO_PEER = 2;
    private static final int REQUEST_BYTES = 56;
    private static final int GRANT_BYTES = 24;

    private Greetings() {}

    /**
     * A compute node that connects to another.
     *
     * @param memoryNode incarnation of the memory node whose members both are
     * @param attempt number of the request, 48 bits; a member never uses a number twice, and each is higher than those before
     * @param proof proof of the request, see {@link PeerProofs}
     */
    @SuppressWarnings("ArrayRecordComponent") // Read from a request and checked at once.
    record Peers(
            long memoryNode,
            int fromNode,
            int fromIncarnation,
            int toNode,
            int toIncarnation,
            long attempt,
            byte[] proof) {}

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static byte[] toMemoryNode(byte[] token) {
        return buffer(REQUEST_BYTES)
                .putInt(MAGIC)
                .put(VERSION)
                .put(TO_MEMORY_NODE)
                .putShort((short) 0)
                .put(token)
                .array();
    }

    /** Returns the token of a compute node that connects. */
    static byte[] readToken(byte[] request) throws IOException {
        ByteBuffer in = begin(request, TO_MEMORY_NODE);
        in.getShort();
        byte[] token = new byte[TOKEN_BYTES];
        in.get(token);
        return token;
    }

    static byte[] toPeer(Peers peers) {
        return buffer(REQUEST_BYTES)
                .putInt(MAGIC)
                .put(VERSION)
                .put(TO_PEER)
                .putShort((short) peers.fromNode)
                .putShort((short) peers.toNode)
                .putLong(peers.memoryNode)
                .putInt(peers.fromIncarnation)
                .putInt(peers.toIncarnation)
                .putInt((int) peers.attempt)
                .putShort((short) (peers.attempt >>> Integer.SIZE))
                .put(peers.proof)
                .array();
    }

    static Peers readPeers(byte[] request) throws IOException {
        ByteBuffer in = begin(request, TO_PEER);
        int from = in.getShort() & 0xFFFF;
        int to = in.getShort() & 0xFFFF;
        long memoryNode = in.getLong();
        int fromIncarnation = in.getInt();
        int toIncarnation = in.getInt();
        long attempt = in.getInt() & 0xFFFF_FFFFL | (in.getShort() & 0xFFFFL) << Integer.SIZE;
        byte[] proof = new byte[REQUEST_PROOF_BYTES];
        in.get(proof);
        return new Peers(memoryNode, from, fromIncarnation, to, toIncarnation, attempt, proof);
    }

    private static ByteBuffer begin(byte[] request, byte kind) throws IOException {
        if (request.length < REQUEST_BYTES) {
            throw new IOException("this is the RDMA port of DecLock, and a request of " + request.length
                    + " bytes is not one of its requests");
        }
        ByteBuffer in = ByteBuffer.wrap(request).order(ByteOrder.LITTLE_ENDIAN);
        if (in.getInt() != MAGIC) {
            throw new IOException("this is the RDMA port of DecLock, and the request is not one of its requests");
        }
        byte version = in.get();
        byte found = in.get();
        if (version != VERSION || found != kind) {
            throw new IOException("the request has version " + version + " and kind " + found
                    + ", but this port accepts version " + VERSION + " and kind " + kind);
        }
        return in;
    }

    static byte[] granting(RegionGrant grant) {
        return buffer(GRANT_BYTES)
                .putLong(grant.address())
                .putLong(grant.length())
                .putInt(grant.key())
                .array();
    }

    static RegionGrant readGrant(byte[] acceptance) throws IOException {
        if (acceptance.length < GRANT_BYTES) {
            throw new IOException("the acceptance has " + acceptance.length + " bytes, which is too short for a grant");
        }
        ByteBuffer in = ByteBuffer.wrap(acceptance).order(ByteOrder.LITTLE_ENDIAN);
        return new RegionGrant(in.getLong(), in.getLong(), in.getInt());
    }

    /** Returns the proof in an acceptance between compute nodes. */
    static byte[] readProof(byte[] acceptance) throws IOException {
        if (acceptance.length < TOKEN_BYTES) {
            throw new IOException("the acceptance has " + acceptance.length + " bytes, which is too short for a proof");
        }
        return Arrays.copyOf(acceptance, TOKEN_BYTES);
    }
}
