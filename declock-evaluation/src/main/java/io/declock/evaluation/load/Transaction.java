// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

import io.declock.LockMode;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The locks of a transaction.
 *
 * @param kind its type: a small number
 * @param needs the locks, each once, in the order of their numbers
 */
public record Transaction(int kind, List<Need> needs) {
    /**
     * A lock that it needs.
     *
     * @param lock number of the lock
     * @param mode in which it needs the lock
     */
    public record Need(int lock, LockMode mode) {}

    /** Copies the needs. */
    public Transaction {
        needs = List.copyOf(needs);
    }

    /** Collects the needs of a transaction. */
    static final class Builder {
        private final SortedMap<Integer, LockMode> needs = new TreeMap<>();

        /** Adds a lock, which is needed for writing if it is needed for reading and for writing. */
        Builder need(int lock, LockMode mode) {
            needs.merge(lock, mode, (before, more) -> before == LockMode.WRITE ? before : more);
            return this;
        }

        Builder read(int lock) {
            return need(lock, LockMode.READ);
        }

        Builder write(int lock) {
            return need(lock, LockMode.WRITE);
        }

        Transaction build(int kind) {
            return new Transaction(
                    kind,
                    needs.entrySet().stream()
                            .map(need -> new Need(need.getKey(), need.getValue()))
                            .toList());
        }
    }
}
