// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.fabric;

/**
 * One-sided operations on the region of one memory node, within one session. Chains posted by one thread are executed in the
 * order of posting; a chain's verbs are executed in order. Thread-safe.
 */
@FunctionalInterface
public interface RemoteMemory {
    /**
     * Posts a chain. Never blocks and never throws for a broken connection: {@link VerbChain#failed} tells. Completion may
     * be called before this returns, so no lock may be held that the completion needs.
     */
    void post(VerbChain chain);
}
