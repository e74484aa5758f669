// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

/** Numbers of the wire protocol, apart from those of {@link FrameType}; docs/wire-protocol.md is the specification. */
public final class Wire {
    /** The first four bytes of every connection in both directions: "DCLK", read as a little-endian number. */
    public static final int MAGIC = 0x4B4C_4344;
    /** Newest version of the protocol that this release speaks. */
    public static final int VERSION = 8;
    /** First version with lists of memory nodes that replace one another. */
    public static final int LISTS_VERSION = 5;
    /** First version with reservations. */
    public static final int RESERVATIONS_VERSION = 6;
    /** First version with inquiries of operators. */
    public static final int INQUIRIES_VERSION = 6;
    /** First version in which the members that ask for kept locks are told apart. */
    public static final int KEEPING_VERSION = 7;
    /** First version with values of guarded locks. */
    public static final int VALUES_VERSION = 8;
    /** First version with extended atomics. */
    public static final int EXTENDED_ATOMICS_VERSION = 8;
    /** Oldest version of the protocol that this release speaks. */
    public static final int OLDEST_VERSION = 4;
    /** Bytes of the preamble. */
    public static final int PREAMBLE_BYTES = 40;
    /** Bytes of a nonce, a proof and a ticket. */
    public static final int SECRET_BYTES = 32;

    /** Role of a connection: a compute node to a memory node. */
    public static final int ROLE_SESSION = 1;
    /** Role of a connection: a compute node to a compute node. */
    public static final int ROLE_PEER = 2;
    /** Role of a connection: a memory node to another one, which it asks for its identity. */
    public static final int ROLE_MEMORY_NODE = 3;

    /** Largest frame towards a memory node or a peer, without its length. */
    public static final int MAX_REQUEST_BYTES = 64 * 1024 + 64;
    /** Largest frame from a memory node, without its length. */
    public static final int MAX_REPLY_BYTES = 8 * 1024 * 1024;
    /** Largest frame towards a memory node or a peer before the sender has proved its identity. */
    public static final int MAX_HANDSHAKE_BYTES = 1024;
    /** Largest frame from a memory node before it has proved that it knows the secret: a refusal with the longest text. */
    public static final int MAX_UNPROVED_REPLY_BYTES = 2048;
    /** Most words of one READ or WRITE. */
    public static final int MAX_WORDS = 512;
    /** Most records in a reclaim proposal or answer. */
    public static final int MAX_RECLAIM = 8192;
    /** Most bytes of the data that is granted on a RDMA connection. */
    public static final int MAX_GRANT_BYTES = 196;
    /** Longest text in bytes. */
    public static final int MAX_TEXT = 1024;

    /** Code of an FAA in a chain. */
    public static final int OP_FETCH_AND_ADD = 1;
    /** Code of a CAS in a chain. */
    public static final int OP_COMPARE_AND_SWAP = 2;
    /** Code of a READ in a chain. */
    public static final int OP_READ = 3;
    /** Code of a WRITE in a chain. */
    public static final int OP_WRITE = 4;
    /** Code of a masked CAS in a chain. */
    public static final int OP_MASKED_COMPARE_AND_SWAP = 5;
    /** Code of a masked FAA in a chain. */
    public static final int OP_MASKED_FETCH_AND_ADD = 6;

    private Wire() {}
}
