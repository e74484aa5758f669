// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

/** Numbers of the wire protocol; docs/wire-protocol.md is the specification. */
public final class Wire {
    /** The first four bytes of every connection in both directions: "DCLK", read as a little-endian number. */
    public static final int MAGIC = 0x4B4C_4344;
    /** Version of the protocol. */
    public static final int VERSION = 1;
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
    public static final int MAX_REPLY_BYTES = 512 * 1024;
    /** Largest frame towards a memory node or a peer before the sender has proved its identity. */
    public static final int MAX_HANDSHAKE_BYTES = 1024;
    /** Largest frame from a memory node before it has proved that it knows the secret: a refusal with the longest text. */
    public static final int MAX_UNPROVED_REPLY_BYTES = 2048;
    /** Most words of one READ or WRITE. */
    public static final int MAX_WORDS = 512;
    /** Most records in a reclaim proposal or answer. */
    public static final int MAX_RECLAIM = 8192;
    /** Most bytes of the data that is granted on a direct connection. */
    public static final int MAX_GRANT_BYTES = 196;
    /** Longest text in bytes. */
    public static final int MAX_TEXT = 1024;

    /** Proof of a compute node or of a connecting peer. */
    public static final int AUTH = 0x01;
    /** A compute node joins. */
    public static final int JOIN = 0x02;
    /** A chain of verbs. */
    public static final int CHAIN = 0x03;
    /** A lease is renewed. */
    public static final int HEARTBEAT = 0x04;
    /** A name is resolved. */
    public static final int RESOLVE = 0x05;
    /** A name is looked up. */
    public static final int LOOK_UP = 0x06;
    /** The members are asked for. */
    public static final int MEMBERS = 0x07;
    /** A peer message: direct, to be relayed, or relayed. */
    public static final int PEER_MESSAGE = 0x08;
    /** Answer to a reclaim proposal. */
    public static final int RECLAIM_ANSWER = 0x09;
    /** The compute node leaves, which ends its session. */
    public static final int LEAVE = 0x0A;
    /** A ticket for a peer is asked for. */
    public static final int TICKET = 0x0B;
    /** A compute node declares its set of memory nodes. */
    public static final int DECLARE_NODE_SET = 0x0C;
    /** A peer asks whether the other one still receives its messages. */
    public static final int PEER_PROBE = 0x0D;
    /** The answer to a probe. */
    public static final int PEER_ECHO = 0x0E;
    /** Direct access to the region is requested. */
    public static final int DIRECT_ACCESS = 0x0F;
    /** The data granted on a direct connection is requested, by a compute node whose library does not show it. */
    public static final int DIRECT_GRANT = 0x10;
    /** The members are requested, and which of them know a record. */
    public static final int RECORD_MEMBERS = 0x11;
    /** A memory node gives its identity, and asks another one for its own. */
    public static final int IDENTIFY = 0x12;

    /** Proof of the accepting side. */
    public static final int AUTHENTICATED = 0x41;
    /** Joined. */
    public static final int JOINED = 0x42;
    /** A chain was executed. */
    public static final int CHAIN_DONE = 0x43;
    /** A lease was renewed. */
    public static final int HEARTBEAT_REPLY = 0x44;
    /** A name was resolved or looked up. */
    public static final int RESOLVED = 0x45;
    /** The members. */
    public static final int MEMBERSHIP = 0x47;
    /** Records are proposed for reclaiming. */
    public static final int RECLAIM_PROPOSAL = 0x49;
    /** A request that has no other answer was carried out. */
    public static final int DONE = 0x4A;
    /** A ticket. */
    public static final int TICKET_REPLY = 0x4B;
    /** Whether there is direct access, and its address. */
    public static final int DIRECT_ACCESS_REPLY = 0x4C;
    /** The data granted on a direct connection. */
    public static final int DIRECT_GRANT_REPLY = 0x4D;
    /** The members, and which of them know a record. */
    public static final int RECORD_MEMBERSHIP = 0x4E;
    /** A request was refused. */
    public static final int REFUSED = 0x4F;
    /** The session has ended, and the connection will be closed. */
    public static final int GOODBYE = 0x50;
    /** A memory node gives its identity. */
    public static final int IDENTITY = 0x51;

    /** Code of an FAA in a chain. */
    public static final int OP_FETCH_AND_ADD = 1;
    /** Code of a CAS in a chain. */
    public static final int OP_COMPARE_AND_SWAP = 2;
    /** Code of a READ in a chain. */
    public static final int OP_READ = 3;
    /** Code of a WRITE in a chain. */
    public static final int OP_WRITE = 4;

    /** Returns the name of a type of frame, for people. */
    public static String nameOf(int type) {
        return switch (type) {
            case AUTH -> "AUTH";
            case JOIN -> "JOIN";
            case CHAIN -> "CHAIN";
            case HEARTBEAT -> "HEARTBEAT";
            case RESOLVE -> "RESOLVE";
            case LOOK_UP -> "LOOK_UP";
            case MEMBERS -> "MEMBERS";
            case PEER_MESSAGE -> "PEER_MESSAGE";
            case RECLAIM_ANSWER -> "RECLAIM_ANSWER";
            case LEAVE -> "LEAVE";
            case TICKET -> "TICKET";
            case DECLARE_NODE_SET -> "DECLARE_NODE_SET";
            case PEER_PROBE -> "PEER_PROBE";
            case PEER_ECHO -> "PEER_ECHO";
            case DIRECT_ACCESS -> "DIRECT_ACCESS";
            case DIRECT_GRANT -> "DIRECT_GRANT";
            case RECORD_MEMBERS -> "RECORD_MEMBERS";
            case IDENTIFY -> "IDENTIFY";
            case AUTHENTICATED -> "AUTHENTICATED";
            case JOINED -> "JOINED";
            case CHAIN_DONE -> "CHAIN_DONE";
            case HEARTBEAT_REPLY -> "HEARTBEAT_REPLY";
            case RESOLVED -> "RESOLVED";
            case MEMBERSHIP -> "MEMBERSHIP";
            case RECLAIM_PROPOSAL -> "RECLAIM_PROPOSAL";
            case DONE -> "DONE";
            case TICKET_REPLY -> "TICKET_REPLY";
            case DIRECT_ACCESS_REPLY -> "DIRECT_ACCESS_REPLY";
            case DIRECT_GRANT_REPLY -> "DIRECT_GRANT_REPLY";
            case RECORD_MEMBERSHIP -> "RECORD_MEMBERSHIP";
            case REFUSED -> "REFUSED";
            case GOODBYE -> "GOODBYE";
            case IDENTITY -> "IDENTITY";
            default -> "0x" + Integer.toHexString(type);
        };
    }

    private Wire() {}
}
