// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** Finds the codec of a type. A Spring application may define a bean of this type, in place of the one that writes JSON. Implementations are thread-safe. */
public interface ValueCodecs {
    /**
     * {@return the codec of a type}
     *
     * @param <T> type of the values
     * @param type the type
     * @throws IllegalArgumentException if there is none
     */
    <T> ValueCodec<T> of(Class<T> type);
}
