// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message from one compute node to another about one lock record. A message is a hint: it may be lost or arrive twice or late, and the
 * receiver compares record, epoch and index before it acts on the message (rule A5 of docs/protocol.md).
 *
 * @param kind kind of message
 * @param memoryNode incarnation of the memory node to which the node ids and the record belong
 * @param fromNode node id of the sender
 * @param fromIncarnation incarnation of the sender
 * @param toNode node id of the receiver
 * @param toIncarnation incarnation of the receiver as the sender knows it
 * @param record region offset of the lock record
 * @param epoch full epoch of the record
 * @param index queue index, or another value that the kind defines
 * @param detail value that the kind defines
 * @param entries queue entries that follow {@code index}, for grants
 * @param value what a grant tells of the lock's value, or null if it tells nothing (rule V5)
 */
@SuppressWarnings(
        "ArrayRecordComponent") // equals and hashCode compare contents; a list would allocate on every hand-over
public record PeerMessage(
        Kind kind,
        long memoryNode,
        int fromNode,
        int fromIncarnation,
        int toNode,
        int toIncarnation,
        long record,
        long epoch,
        int index,
        long detail,
        long[] entries,
        @Nullable GrantedValue value) {
    /** Most entries that a grant carries. */
    public static final int MAX_ENTRIES = 16;

    /** Index of a HOLD_ANSWER: the sender has no position in the lock's queue, and no operation under way that takes one. */
    public static final int NO_POSITION = 0;

    /** Index of a HOLD_ANSWER: the sender holds the lock. */
    public static final int HOLDS = 1;

    /** Index of a HOLD_ANSWER: the sender has a position that does not hold, or may be about to take a position. */
    public static final int HAS_POSITION = 2;

    /** Index of a WANTED: it is meant for whatever shared position the receiver has. */
    public static final int EVERY_READER = -1;

    private static final long[] NONE = {};

    /**
     * Makes a message without entries.
     *
     * @param kind what it says
     * @param memoryNode incarnation of the memory node
     * @param fromNode node id of the sender
     * @param fromIncarnation incarnation of the sender
     * @param toNode node id of the receiver
     * @param toIncarnation incarnation of the receiver
     * @param record region offset of the lock record
     * @param epoch full epoch of the record
     * @param index queue index, or what the kind defines
     * @param detail what the kind defines
     */
    public PeerMessage(
            Kind kind,
            long memoryNode,
            int fromNode,
            int fromIncarnation,
            int toNode,
            int toIncarnation,
            long record,
            long epoch,
            int index,
            long detail) {
        this(kind, memoryNode, fromNode, fromIncarnation, toNode, toIncarnation, record, epoch, index, detail, NONE);
    }

    /**
     * Makes a message that tells nothing of a value.
     *
     * @param kind what it says
     * @param memoryNode incarnation of the memory node
     * @param fromNode node id of the sender
     * @param fromIncarnation incarnation of the sender
     * @param toNode node id of the receiver
     * @param toIncarnation incarnation of the receiver
     * @param record region offset of the lock record
     * @param epoch full epoch of the record
     * @param index queue index, or what the kind defines
     * @param detail what the kind defines
     * @param entries queue entries
     */
    public PeerMessage(
            Kind kind,
            long memoryNode,
            int fromNode,
            int fromIncarnation,
            int toNode,
            int toIncarnation,
            long record,
            long epoch,
            int index,
            long detail,
            long[] entries) {
        this(
                kind,
                memoryNode,
                fromNode,
                fromIncarnation,
                toNode,
                toIncarnation,
                record,
                epoch,
                index,
                detail,
                entries,
                null);
    }

    /** {@return this message, without what it tells of the lock's value} */
    public PeerMessage withoutValue() {
        return value == null
                ? this
                : new PeerMessage(
                        kind,
                        memoryNode,
                        fromNode,
                        fromIncarnation,
                        toNode,
                        toIncarnation,
                        record,
                        epoch,
                        index,
                        detail,
                        entries);
    }

    /** The kinds of message; the codes are on the wire. */
    public enum Kind {
        /**
         * Position {@code index} of {@code epoch} holds the lock. {@code detail}: earliest timestamp among the remote waiters
         * behind it plus one, or 0 for none known.
         */
        GRANT(1),
        /** The grant of {@code index} reached a later incarnation than its intended receiver. */
        GRANT_REFUSED(2),
        /** A reset of {@code epoch} has begun; {@code index} is the initiator's node id. */
        RESET_SIGNAL(3),
        /** Answer to the signal of initiator {@code index}; {@code detail} is 0 for no hold, 1 for shared, 2 for exclusive. */
        RESET_ACK(4),
        /** The reset is over and {@code epoch} is the new epoch. */
        RESET_DONE(5),
        /** Asks whether the receiver holds the lock in {@code epoch}, or has a position. {@code detail} identifies the question. */
        HOLD_QUESTION(6),
        /** {@code index} is {@link #NO_POSITION}, {@link #HOLDS} or {@link #HAS_POSITION}; {@code detail} repeats the question's. */
        HOLD_ANSWER(7),
        /**
         * The sender wants the lock of position {@code index}, whose entry was marked as kept (rules K2 and K4), or of every shared position
         * ({@link #EVERY_READER}, rule K7). {@code entries}: its own queue entry; none if it does not wait in the queue: then it awaits
         * {@link #RETURNED}. {@code detail} identifies the question.
         */
        WANTED(8),
        /**
         * Answer to a {@link #WANTED} without an entry: {@code detail} is twice the question's, plus 1 if the sender has no such position any
         * more, plus 0 if it uses the lock.
         */
        RETURNED(9);

        private static final Kind[] BY_CODE = values();
        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /** {@return the number on the wire} */
        public int code() {
            return code;
        }

        /**
         * {@return the kind with that number}
         *
         * @param code the number on the wire
         * @throws IllegalArgumentException for an unknown number
         */
        public static Kind of(int code) {
            if (code < 1 || code > BY_CODE.length) {
                throw new IllegalArgumentException("unknown kind of peer message: " + code);
            }
            return BY_CODE[code - 1];
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PeerMessage that
                && kind == that.kind
                && memoryNode == that.memoryNode
                && fromNode == that.fromNode
                && fromIncarnation == that.fromIncarnation
                && toNode == that.toNode
                && toIncarnation == that.toIncarnation
                && record == that.record
                && epoch == that.epoch
                && index == that.index
                && detail == that.detail
                && Arrays.equals(entries, that.entries)
                && Objects.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, memoryNode, fromNode, toNode, record, epoch, index, detail);
    }

    @Override
    public String toString() {
        return kind + "[" + fromNode + "." + fromIncarnation + "->" + toNode + "." + toIncarnation + " record " + record
                + " epoch " + epoch + " index " + index + " detail " + detail + " entries " + entries.length
                + (value == null ? "" : " " + value) + "]";
    }
}
