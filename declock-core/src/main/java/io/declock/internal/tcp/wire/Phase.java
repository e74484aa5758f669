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
    MEMORY_NODE_AWAITS_PROOF("before its proof", Wire.MAX_HANDSHAKE_BYTES, FrameType.AUTH),
    /** A memory node waits for a compute node to join, or to resume its session. */
    MEMORY_NODE_AWAITS_JOIN("before joining", Wire.MAX_REQUEST_BYTES, FrameType.JOIN, FrameType.RESUME),
    /** A memory node serves a session. */
    MEMORY_NODE_SERVES(
            "after joining",
            Wire.MAX_REQUEST_BYTES,
            FrameType.CHAIN,
            FrameType.HEARTBEAT,
            FrameType.RESOLVE,
            FrameType.LOOK_UP,
            FrameType.MEMBERS,
            FrameType.RECORD_MEMBERS,
            FrameType.PEER_MESSAGE,
            FrameType.RECLAIM_ANSWER,
            FrameType.LEAVE,
            FrameType.TICKET,
            FrameType.DECLARE_NODE_SET,
            FrameType.RESTORE,
            FrameType.RESERVE,
            FrameType.LOCK_ANSWER,
            FrameType.READ_VALUE,
            FrameType.WRITE_VALUE,
            FrameType.MOVED,
            FrameType.AWAIT_GRACE,
            FrameType.ASK_NODES,
            FrameType.PROPOSE_NODES,
            FrameType.DECLARE_NODES,
            FrameType.AWAIT_GIVEN_UP,
            FrameType.TAKE_OVER,
            FrameType.RDMA_ACCESS,
            FrameType.RDMA_GRANT),

    /** A memory node waits for the proof of another one that asks for its identity. */
    ASKED_MEMORY_NODE_AWAITS_PROOF("before its proof", Wire.MAX_HANDSHAKE_BYTES, FrameType.AUTH),
    /** A memory node waits for the question of another one. */
    ASKED_MEMORY_NODE_AWAITS_QUESTION(
            "before its question", Wire.MAX_UNPROVED_REPLY_BYTES, FrameType.IDENTIFY, FrameType.PROMISE),
    /** A memory node waits for the proof of another one that it asks for its identity. */
    ASKING_MEMORY_NODE_AWAITS_PROOF(
            "before its proof",
            Wire.MAX_UNPROVED_REPLY_BYTES,
            FrameType.AUTHENTICATED,
            FrameType.REFUSED,
            FrameType.GOODBYE),
    /** A memory node waits for the answer of another one. */
    ASKING_MEMORY_NODE_AWAITS_ANSWER(
            "before its answer",
            Wire.MAX_UNPROVED_REPLY_BYTES,
            FrameType.IDENTITY,
            FrameType.PROMISED,
            FrameType.GOODBYE),

    /** A compute node waits for the proof of a memory node. */
    COMPUTE_NODE_AWAITS_PROOF(
            "before its proof",
            Wire.MAX_UNPROVED_REPLY_BYTES,
            FrameType.AUTHENTICATED,
            FrameType.REFUSED,
            FrameType.GOODBYE),
    /** A compute node waits for the answer to its joining, or to the resumption of its session. */
    COMPUTE_NODE_AWAITS_JOINED(
            "before joining",
            Wire.MAX_REPLY_BYTES,
            FrameType.NODES_STATE,
            FrameType.JOINED,
            FrameType.RESUMED,
            FrameType.REFUSED,
            FrameType.GOODBYE),
    /** A compute node has a session. */
    COMPUTE_NODE_JOINED(
            "after joining",
            Wire.MAX_REPLY_BYTES,
            FrameType.CHAIN_DONE,
            FrameType.HEARTBEAT_REPLY,
            FrameType.RESOLVED,
            FrameType.MEMBERSHIP,
            FrameType.MEMBERSHIP_CHANGE,
            FrameType.RECORD_MEMBERSHIP,
            FrameType.PEER_MESSAGE,
            FrameType.RECLAIM_PROPOSAL,
            FrameType.RESTORED,
            FrameType.GRACE_OVER,
            FrameType.NODES,
            FrameType.NODES_STATE,
            FrameType.GIVEN_UP,
            FrameType.TAKEN_OVER,
            FrameType.LOCK_INQUIRY,
            FrameType.VALUE,
            FrameType.DONE,
            FrameType.TICKET_REPLY,
            FrameType.RDMA_ACCESS_REPLY,
            FrameType.RDMA_GRANT_REPLY,
            FrameType.REFUSED,
            FrameType.GOODBYE),

    /** A compute node that accepted a connection waits for the proof of the peer that opened it. */
    ACCEPTING_PEER_AWAITS_PROOF("before its proof", Wire.MAX_HANDSHAKE_BYTES, FrameType.AUTH),
    /** A compute node that opened a connection waits for the proof of the peer that accepted it. */
    CONNECTING_PEER_AWAITS_PROOF("before its proof", Wire.MAX_HANDSHAKE_BYTES, FrameType.AUTHENTICATED),
    /** Two compute nodes have proved their identities to each other. */
    PEERS("between peers", Wire.MAX_REQUEST_BYTES, FrameType.PEER_MESSAGE, FrameType.PEER_PROBE, FrameType.PEER_ECHO);

    private final String when;
    private final int maxFrameBytes;
    /** One bit for each allowed type of frame, by its ordinal. */
    private final long types;

    Phase(String when, int maxFrameBytes, FrameType... types) {
        this.when = when;
        this.maxFrameBytes = maxFrameBytes;
        long bits = 0;
        for (FrameType type : types) {
            bits |= 1L << type.ordinal();
        }
        this.types = bits;
    }

    /** Returns whether the other side may send a frame of that type in this phase. */
    public boolean allows(FrameType type) {
        return (types >>> type.ordinal() & 1) != 0;
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
