// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * One-sided operations on the region of one memory node, within one session. A chain's verbs are executed in order. Chains posted by one
 * thread are executed in the order of posting, except that a READ may see the words of a WRITE in a later chain. A caller that must not see
 * them waits for the READ before it posts the WRITE. Thread-safe.
 */
@FunctionalInterface
public interface RemoteMemory {
    /**
     * Posts a chain. Never blocks and never throws for a broken connection: {@link VerbChain#failed} reports it. The chain may complete
     * before this method returns, so the caller must not hold a mutex that the completion needs.
     *
     * @param chain the chain
     * @throws UnsupportedOperationException if the chain has an {@linkplain io.declock.Verb#isExtended extended atomic}, and it is known that the memory node
     *     executes none; nothing was posted then, and the session goes on
     */
    void post(VerbChain chain);

    /** {@return whether a chain travels as one request with one answer, so that a further READ in it costs almost nothing} */
    default boolean isChainOneRequest() {
        return false;
    }
}
