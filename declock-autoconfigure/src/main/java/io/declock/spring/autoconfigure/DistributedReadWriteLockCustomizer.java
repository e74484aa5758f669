// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DistributedReadWriteLock;

/**
 * Wraps the {@link DistributedReadWriteLock} that applications use, for example in a circuit breaker. Beans of this type are applied in
 * their order, the last one outermost.
 */
@FunctionalInterface
public interface DistributedReadWriteLockCustomizer {
    /**
     * {@return the lock to use instead of {@code lock}}
     *
     * @param lock the lock as it is so far
     */
    DistributedReadWriteLock customize(DistributedReadWriteLock lock);
}
