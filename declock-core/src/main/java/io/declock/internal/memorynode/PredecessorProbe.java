// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.function.Consumer;

/** A way to ask who is at an address. Thread-safe. */
@FunctionalInterface
interface PredecessorProbe {
    /**
     * Asks; does not wait for the answer.
     *
     * @param address an address and port, written out
     * @param told called at most once, on any thread; an answer that is late counts for nothing
     */
    void ask(String address, Consumer<PredecessorAnswer> told);
}
