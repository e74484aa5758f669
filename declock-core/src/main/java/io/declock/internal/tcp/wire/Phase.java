// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

/**
 * The progress of one side of a connection, and the frames that it accepts from the other side in each phase.
 *
 * <p>A connection begins in {@link #PREAMBLE} and only moves from one phase to a phase that follows it. Only {@link FrameConnection#prove}
 * moves from the phases in which the other side has not proved its identity to those in which it has, so only a valid proof makes that
 * step. A frame that the present phase does not list is a bad frame, whichever side sent it.
 */
public enum Phase {
    /** Waits for the other side's preamble; accepts no frame. */
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

    /** A memory node waits for the proof of another one that asks for its identity. */
    ASKED_MEMORY_NODE_AWAITS_PROOF("before its proof", Wire.MAX_HANDSHAKE_BYTES, Wire.AUTH),
    /** A memory node waits for the question of another one. */
    ASKED_MEMORY_NODE_AWAITS_QUESTION("before its question", Wire.MAX_UNPROVED_REPLY_BYTES, Wire.IDENTIFY),
    /** A memory node waits for the proof of another one that it asks for its identity. */
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
    /** Two compute nodes have proved their identities to each other. */
    PEERS("between peers", Wire.MAX_REQUEST_BYTES, Wire.PEER_MESSAGE, Wire.PEER_PROBE, Wire.PEER_ECHO);

    private final String when;
    private final int maxFrameBytes;
    /** One bit for each allowed type of frame below 128; no type is above. */
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

    /** Returns whether the other side may send a frame of that type in this phase. */
    public boolean allows(int type) {
        long bits = type < Long.SIZE ? low : type < 2 * Long.SIZE ? high : 0;
        return (bits >>> type & 1) != 0;
    }

    /** Returns the size of the largest accepted frame, without its length. */
    int maxFrameBytes() {
        return maxFrameBytes;
    }

    /** Returns the phase in words, from the other side's view. */
    String when() {
        return when;
    }

    /** Returns whether a connection may go on to the other phase without a proof. */
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

    /** Returns the phase to which a valid proof of the other side leads, or this one if it waits for no proof. */
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
