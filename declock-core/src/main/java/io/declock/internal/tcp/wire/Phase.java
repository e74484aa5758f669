// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

/**
 * How far one side of a connection has come, and which frames it takes from the other side meanwhile.
 *
 * <p>A connection begins in {@link #PREAMBLE} and only moves from one phase to a phase that follows it. The step over the gap between
 * the phases in which the other side is a stranger and those in which it is not is taken by {@link FrameConnection#prove} alone, so
 * nothing but a valid proof takes it. A frame that the present phase does not list is a bad frame, whoever sent it.
 */
public enum Phase {
    /** Waits for the other side's preamble; no frame is taken. */
    PREAMBLE("before the preamble", 0),

    /** A memory node waits for the proof of a compute node. */
    MEMORY_NODE_AWAITS_PROOF("before its proof", Wire.MAX_HANDSHAKE_BYTES, Wire.AUTH),
    /** A memory node waits for a compute node to join. */
    MEMORY_NODE_AWAITS_JOIN("before joining", Wire.MAX_REQUEST_BYTES, Wire.JOIN),
    /** A memory node serves a session. */
    MEMORY_NODE_SERVES(
            "after joining",
            Wire.MAX_REQUEST_BYTES,
            Wire.CHAIN,
            Wire.HEARTBEAT,
            Wire.RESOLVE,
            Wire.LOOK_UP,
            Wire.MEMBERS,
            Wire.RECORD_MEMBERS,
            Wire.PEER_MESSAGE,
            Wire.RECLAIM_ANSWER,
            Wire.LEAVE,
            Wire.TICKET,
            Wire.DECLARE_NODE_SET,
            Wire.DIRECT_ACCESS,
            Wire.DIRECT_GRANT),

    /** A memory node waits for the proof of another one that wants to ask who it is. */
    ASKED_MEMORY_NODE_AWAITS_PROOF("before its proof", Wire.MAX_HANDSHAKE_BYTES, Wire.AUTH),
    /** A memory node waits for the question of another one. */
    ASKED_MEMORY_NODE_AWAITS_QUESTION("before its question", Wire.MAX_UNPROVED_REPLY_BYTES, Wire.IDENTIFY),
    /** A memory node waits for the proof of another one that it wants to ask. */
    ASKING_MEMORY_NODE_AWAITS_PROOF(
            "before its proof", Wire.MAX_UNPROVED_REPLY_BYTES, Wire.AUTHENTICATED, Wire.REFUSED, Wire.GOODBYE),
    /** A memory node waits for the answer of another one. */
    ASKING_MEMORY_NODE_AWAITS_ANSWER("before its answer", Wire.MAX_UNPROVED_REPLY_BYTES, Wire.IDENTITY, Wire.GOODBYE),

    /** A compute node waits for the proof of a memory node. */
    COMPUTE_NODE_AWAITS_PROOF(
            "before its proof", Wire.MAX_UNPROVED_REPLY_BYTES, Wire.AUTHENTICATED, Wire.REFUSED, Wire.GOODBYE),
    /** A compute node waits for the answer to its joining. */
    COMPUTE_NODE_AWAITS_JOINED("before joining", Wire.MAX_REPLY_BYTES, Wire.JOINED, Wire.REFUSED, Wire.GOODBYE),
    /** A compute node has a session. */
    COMPUTE_NODE_JOINED(
            "after joining",
            Wire.MAX_REPLY_BYTES,
            Wire.CHAIN_DONE,
            Wire.HEARTBEAT_REPLY,
            Wire.RESOLVED,
            Wire.MEMBERSHIP,
            Wire.RECORD_MEMBERSHIP,
            Wire.PEER_MESSAGE,
            Wire.RECLAIM_PROPOSAL,
            Wire.DONE,
            Wire.TICKET_REPLY,
            Wire.DIRECT_ACCESS_REPLY,
            Wire.DIRECT_GRANT_REPLY,
            Wire.REFUSED,
            Wire.GOODBYE),

    /** A compute node that accepted a connection waits for the proof of the peer that opened it. */
    ACCEPTING_PEER_AWAITS_PROOF("before its proof", Wire.MAX_HANDSHAKE_BYTES, Wire.AUTH),
    /** A compute node that opened a connection waits for the proof of the peer that accepted it. */
    CONNECTING_PEER_AWAITS_PROOF("before its proof", Wire.MAX_HANDSHAKE_BYTES, Wire.AUTHENTICATED),
    /** Two compute nodes that have proved to each other who they are. */
    PEERS("between peers", Wire.MAX_REQUEST_BYTES, Wire.PEER_MESSAGE, Wire.PEER_PROBE, Wire.PEER_ECHO);

    private final String when;
    private final int maxFrameBytes;
    /** A bit for each type of frame below 128; none is above. */
    private final long low;

    private final long high;

    Phase(String when, int maxFrameBytes, int... types) {
        this.when = when;
        this.maxFrameBytes = maxFrameBytes;
        long lowBits = 0;
        long highBits = 0;
        for (int type : types) {
            if (type < Long.SIZE) {
                lowBits |= 1L << type;
            } else {
                highBits |= 1L << type;
            }
        }
        this.low = lowBits;
        this.high = highBits;
    }

    /** Returns whether the other side may send a frame of that type now. */
    public boolean allows(int type) {
        long bits = type < Long.SIZE ? low : type < 2 * Long.SIZE ? high : 0;
        return (bits >>> type & 1) != 0;
    }

    /** Returns the largest frame that is taken, without its length. */
    int maxFrameBytes() {
        return maxFrameBytes;
    }

    /** Returns when it is, seen from the other side. */
    String when() {
        return when;
    }

    /** Returns whether a connection that proves nothing may go on to the other phase. */
    boolean leadsTo(Phase next) {
        return switch (this) {
            case PREAMBLE ->
                next == MEMORY_NODE_AWAITS_PROOF
                        || next == ASKED_MEMORY_NODE_AWAITS_PROOF
                        || next == ASKING_MEMORY_NODE_AWAITS_PROOF
                        || next == COMPUTE_NODE_AWAITS_PROOF
                        || next == ACCEPTING_PEER_AWAITS_PROOF
                        || next == CONNECTING_PEER_AWAITS_PROOF;
            case MEMORY_NODE_AWAITS_JOIN -> next == MEMORY_NODE_SERVES;
            case COMPUTE_NODE_AWAITS_JOINED -> next == COMPUTE_NODE_JOINED;
            default -> false;
        };
    }

    /** Returns the phase to which a valid proof of the other side leads, or this one if no proof is waited for. */
    Phase proved() {
        return switch (this) {
            case MEMORY_NODE_AWAITS_PROOF -> MEMORY_NODE_AWAITS_JOIN;
            case ASKED_MEMORY_NODE_AWAITS_PROOF -> ASKED_MEMORY_NODE_AWAITS_QUESTION;
            case ASKING_MEMORY_NODE_AWAITS_PROOF -> ASKING_MEMORY_NODE_AWAITS_ANSWER;
            case COMPUTE_NODE_AWAITS_PROOF -> COMPUTE_NODE_AWAITS_JOINED;
            case ACCEPTING_PEER_AWAITS_PROOF, CONNECTING_PEER_AWAITS_PROOF -> PEERS;
            default -> this;
        };
    }
}
