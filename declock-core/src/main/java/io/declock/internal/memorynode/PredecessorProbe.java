// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.function.Consumer;

/** Asks the process at an address for its identity. Thread-safe. */
public interface PredecessorProbe {
    /** Returns whether a text is an address and a port, in the only form in which this class asks; no name is looked up. */
    boolean isWrittenOut(String address);

    /**
     * Asks without waiting for the answer.
     *
     * @param address address and port, in numbers
     * @param told receives the answer, at most once, on any thread; a late answer has no effect
     */
    void ask(String address, Consumer<PredecessorAnswer> told);
}
