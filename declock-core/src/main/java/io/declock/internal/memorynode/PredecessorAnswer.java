// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

/**
 * The outcome of asking the process at an address for its identity.
 *
 * @param kind kind of the outcome
 * @param id stable id of the memory node that answered, empty if none answered
 * @param incarnation its incarnation, 0 if none answered
 * @param detail description for people: what was found instead of a memory node
 */
public record PredecessorAnswer(Kind kind, String id, long incarnation, String detail) {
    /** The kinds of outcomes. */
    public enum Kind {
        /** A memory node that has proved that it knows the secret has given its identity. */
        MEMORY_NODE,
        /** No memory node with the secret is there: no process listens, or another one does. */
        NOBODY,
        /** No answer came, which proves nothing: a packet may be lost, or the other side may be paused. */
        NO_ANSWER
    }

    /** Returns the answer of a memory node. */
    public static PredecessorAnswer memoryNode(String id, long incarnation) {
        return new PredecessorAnswer(Kind.MEMORY_NODE, id, incarnation, "memory node '" + id + "' answers there");
    }

    /** Returns the answer that no memory node with the secret is there. */
    public static PredecessorAnswer nobody(String detail) {
        return new PredecessorAnswer(Kind.NOBODY, "", 0, detail);
    }

    /** Returns the answer for silence. */
    public static PredecessorAnswer noAnswer(String detail) {
        return new PredecessorAnswer(Kind.NO_ANSWER, "", 0, detail);
    }
}
