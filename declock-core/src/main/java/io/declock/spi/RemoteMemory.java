// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * One-sided operations on the region of one memory node, within one session. A chain's verbs are executed in order. Chains posted by
 * one thread are executed in the order of posting, except that a READ may see what a WRITE of a later chain wrote: who minds waits
 * for the READ before posting the WRITE. Thread-safe.
 */
@FunctionalInterface
public interface RemoteMemory {
    /**
     * Posts a chain. Never blocks and never throws for a broken connection: {@link VerbChain#failed} tells. Completion may
     * be called before this returns, so no lock may be held that the completion needs.
     */
    void post(VerbChain chain);

    /** Returns whether a chain travels as one request with one answer, so that a further READ in it costs next to nothing. */
    default boolean isChainOneRequest() {
        return false;
    }
}
