// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

/**
 * What became of the question who is at an address.
 *
 * @param kind whether anybody answered
 * @param id stable id of the memory node that answered, empty if none did
 * @param incarnation its incarnation, 0 if none answered
 * @param detail for people: what there was in place of a memory node
 */
record PredecessorAnswer(Kind kind, String id, long incarnation, String detail) {
    /** Whether anybody answered. */
    enum Kind {
        /** A memory node that has proved that it knows the secret says who it is. */
        MEMORY_NODE,
        /** There is none that knows the secret: nobody listens there, or somebody else does. */
        NOBODY,
        /** Nothing came back, which says nothing: a packet may be lost, the other side may be paused. */
        NO_ANSWER
    }

    static PredecessorAnswer memoryNode(String id, long incarnation) {
        return new PredecessorAnswer(Kind.MEMORY_NODE, id, incarnation, "memory node '" + id + "' answers there");
    }

    static PredecessorAnswer nobody(String detail) {
        return new PredecessorAnswer(Kind.NOBODY, "", 0, detail);
    }

    static PredecessorAnswer noAnswer(String detail) {
        return new PredecessorAnswer(Kind.NO_ANSWER, "", 0, detail);
    }
}
