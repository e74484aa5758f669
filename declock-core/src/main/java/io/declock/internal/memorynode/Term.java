// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

/**
 * The right of one life of a memory node to serve. A memory node with stand-bys has it only while no other candidate can have been elected
 * (rule H6 of docs/protocol.md). Thread-safe.
 */
@FunctionalInterface
public interface Term {
    /** The right of a memory node without stand-bys, which never ends. */
    Term UNLIMITED = () -> true;

    /**
     * Returns whether it lasts at this moment. Once it does not, it never does again. A memory node asks directly before each step that
     * others rely on: answering a heartbeat, declaring a session dead, letting a process join, ending its grace.
     */
    boolean lasts();
}
