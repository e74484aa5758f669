// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DistributedReadWriteLock;

/**
 * Puts something around the {@link DistributedReadWriteLock} that applications are given, for example a circuit breaker. Beans of
 * this type are applied in their order, the last one outermost.
 */
@FunctionalInterface
public interface DistributedReadWriteLockCustomizer {
    /** Returns what to use in place of {@code lock}. */
    DistributedReadWriteLock customize(DistributedReadWriteLock lock);
}
