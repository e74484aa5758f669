// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Keeps a product's lock object per name, as an application with few names does. Beyond a bound, objects are made per use, as an
 * application with very many names must do. Thread-safe.
 */
final class PerName<T> {
    private static final int MOST = 1024;

    private final Map<String, T> kept = new ConcurrentHashMap<>();
    private final Function<String, T> maker;

    PerName(Function<String, T> maker) {
        this.maker = maker;
    }

    T get(String name) {
        T found = kept.get(name);
        if (found != null) {
            return found;
        }
        return kept.size() < MOST ? kept.computeIfAbsent(name, maker) : maker.apply(name);
    }
}
