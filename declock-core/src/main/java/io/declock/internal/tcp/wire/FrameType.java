// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import org.jspecify.annotations.Nullable;

/**
 * The types of frames. One class of this package writes and reads each: {@link HandshakeFrames}, {@link ControlFrames}, {@link
 * MemberFrames}, {@link NodeListFrames}, {@link PeerFrames}, {@link RdmaFrames}, {@link ValueFrames}, {@link ChainFrame} or {@link ChainDoneFrame}.
 */
public enum FrameType {
    /** Proof of a compute node or of a connecting peer. */
    AUTH(0x01),
    /** A compute node joins. */
    JOIN(0x02),
    /** A chain of verbs. */
    CHAIN(0x03),
    /** A lease is renewed. */
    HEARTBEAT(0x04),
    /** A name is resolved. */
    RESOLVE(0x05),
    /** A name is looked up. */
    LOOK_UP(0x06),
    /** The members are asked for. */
    MEMBERS(0x07),
    /** A peer message: direct, to be relayed, or relayed. */
    PEER_MESSAGE(0x08),
    /** Answer to a reclaim proposal. */
    RECLAIM_ANSWER(0x09),
    /** The compute node leaves, which ends its session. */
    LEAVE(0x0A),
    /** A ticket for a peer is asked for. */
    TICKET(0x0B),
    /** A compute node declares its set of memory nodes. */
    DECLARE_NODE_SET(0x0C),
    /** A peer asks whether the other one still receives its messages. */
    PEER_PROBE(0x0D),
    /** The answer to a probe. */
    PEER_ECHO(0x0E),
    /** RDMA access to the region is requested. */
    RDMA_ACCESS(0x0F),
    /** The data granted on a RDMA connection is requested, by a compute node whose library does not show it. */
    RDMA_GRANT(0x10),
    /** The members are requested, and which of them know a record. */
    RECORD_MEMBERS(0x11),
    /** A memory node gives its identity, and asks another one for its own. */
    IDENTIFY(0x12),
    /** A compute node resumes its session on a new connection. */
    RESUME(0x13),
    /** A compute node restores a hold that it had in the memory node's former life. */
    RESTORE(0x14),
    /** A compute node has restored all its holds. */
    MOVED(0x15),
    /** A compute node waits until positions can be taken. */
    AWAIT_GRACE(0x16),
    /** The candidate that serves asks another one not to take over. */
    PROMISE(0x17),
    /** A compute node asks how far a memory node is with its list of memory nodes. */
    ASK_NODES(0x18),
    /** A list of memory nodes is proposed. */
    PROPOSE_NODES(0x19),
    /** A compute node declares that it uses a list of memory nodes. */
    DECLARE_NODES(0x1A),
    /** A compute node waits until a memory node has given names up. */
    AWAIT_GIVEN_UP(0x1B),
    /** A compute node brings the word that another memory node has given names up. */
    TAKE_OVER(0x1C),
    /** A compute node reserves a position that it holds, or ends its reservation. */
    RESERVE(0x1D),
    /** A compute node tells its holds and waits of a lock. */
    LOCK_ANSWER(0x1E),
    /** The value of a record is read. */
    READ_VALUE(0x1F),
    /** The value of a record is stored or removed. */
    WRITE_VALUE(0x20),

    /** Proof of the accepting side. */
    AUTHENTICATED(0x41),
    /** Joined. */
    JOINED(0x42),
    /** A chain was executed. */
    CHAIN_DONE(0x43),
    /** A lease was renewed. */
    HEARTBEAT_REPLY(0x44),
    /** A name was resolved or looked up. */
    RESOLVED(0x45),
    /** The members. */
    MEMBERSHIP(0x47),
    /** Records are proposed for reclaiming. */
    RECLAIM_PROPOSAL(0x49),
    /** A request that has no other answer was carried out. */
    DONE(0x4A),
    /** A ticket. */
    TICKET_REPLY(0x4B),
    /** Whether there is RDMA access, and its address. */
    RDMA_ACCESS_REPLY(0x4C),
    /** The data granted on a RDMA connection. */
    RDMA_GRANT_REPLY(0x4D),
    /** Which members know a record. */
    RECORD_MEMBERSHIP(0x4E),
    /** A request was refused. */
    REFUSED(0x4F),
    /** The session has ended, and the connection will be closed. */
    GOODBYE(0x50),
    /** A memory node gives its identity. */
    IDENTITY(0x51),
    /** A session goes on. */
    RESUMED(0x52),
    /** A hold was restored. */
    RESTORED(0x53),
    /** Positions can be taken. */
    GRACE_OVER(0x54),
    /** Whether a candidate promises not to take over. */
    PROMISED(0x55),
    /** The members have changed. */
    MEMBERSHIP_CHANGE(0x56),
    /** A memory node's list of memory nodes. */
    NODES(0x57),
    /** How far a memory node is with its list of memory nodes. */
    NODES_STATE(0x58),
    /** A memory node has given names up. */
    GIVEN_UP(0x59),
    /** A memory node has taken names over. */
    TAKEN_OVER(0x5A),
    /** A memory node asks who holds a lock, or ends its holds. */
    LOCK_INQUIRY(0x5B),
    /** The value of a record, with its header. */
    VALUE(0x5C);

    private static final @Nullable FrameType[] BY_NUMBER = new @Nullable FrameType[256];

    static {
        for (FrameType type : values()) {
            BY_NUMBER[type.number] = type;
        }
    }

    private final int number;

    FrameType(int number) {
        this.number = number;
    }

    /** Returns the byte that stands for this type at the beginning of a frame. */
    public int number() {
        return number;
    }

    /** Returns the type with that number, 0 to 255, or null if there is none. */
    public static @Nullable FrameType of(int number) {
        return BY_NUMBER[number];
    }
}
