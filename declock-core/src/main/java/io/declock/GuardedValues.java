// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/**
 * Small values that belong to locks: a holder sees what the last holder has stored (docs/guarded-values.md; the idea is that of <i>Soul</i>). Thread-safe.
 */
public interface GuardedValues {
    /**
     * {@return the value that belongs to a lock} All processes must use the same codec for a name.
     *
     * @param <T> type of the value
     * @param name name of the lock, which is best used for nothing else
     * @param codec turns values into bytes
     * @throws IllegalArgumentException if the name is empty or longer than 512 bytes
     */
    <T> Guarded<T> of(String name, ValueCodec<T> codec);

    /**
     * {@return the value that belongs to a lock, in the form that is usual for its type} Without Spring that is {@link ValueCodec#of}; with Spring, JSON for
     * all types that Jackson can write and read.
     *
     * @param <T> type of the value
     * @param name name of the lock, which is best used for nothing else
     * @param type type of the value
     * @throws IllegalArgumentException if the name is empty or longer than 512 bytes, or there is no usual form for the type
     */
    default <T> Guarded<T> of(String name, Class<T> type) {
        return of(name, ValueCodec.of(type));
    }
}
