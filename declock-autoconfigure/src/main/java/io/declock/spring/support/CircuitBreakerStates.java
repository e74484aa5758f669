// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.support;

import io.declock.MemoryNodeView;
import org.jspecify.annotations.Nullable;

/** Supplies the states of circuit breakers to health. */
@FunctionalInterface
public interface CircuitBreakerStates {
    /** For applications without circuit breakers. */
    CircuitBreakerStates NONE = view -> null;

    /**
     * {@return the state of a memory node's circuit breaker, null if it has none}
     *
     * @param memoryNode the memory node
     */
    @Nullable
    String of(MemoryNodeView memoryNode);
}
