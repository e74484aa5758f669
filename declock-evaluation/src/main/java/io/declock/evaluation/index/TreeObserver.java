// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Learns what a tree's clients have read and written, to check it. Instants are those of the clients' clocks, in nanoseconds. Must be thread-safe where clients have several threads. */
public interface TreeObserver {
    /** Looks away. */
    TreeObserver NONE = new TreeObserver() {
        @Override
        public void found(long key, @Nullable Long value, long begun, long ended) {}

        @Override
        public void scanned(long from, long until, SortedMap<Long, Long> entries, long begun, long ended) {}

        @Override
        public void wrote(long key, @Nullable Long value, long begun, long ended) {}
    };

    /**
     * A client has looked a key up.
     *
     * @param value its value, null if it has none
     * @param begun when the client began
     * @param ended when it has found that out
     */
    void found(long key, @Nullable Long value, long begun, long ended);

    /**
     * A client has read a leaf in a scan.
     *
     * @param from first key that it looked for in the leaf
     * @param until key before which the leaf, or the scan, ends
     * @param entries all entries between
     * @param begun when the scan began
     * @param ended when the leaf was read
     */
    void scanned(long from, long until, SortedMap<Long, Long> entries, long begun, long ended);

    /**
     * A client has written.
     *
     * @param value the value, null if the key was removed
     * @param begun when the client posted what it wrote
     * @param ended when that was executed
     */
    void wrote(long key, @Nullable Long value, long begun, long ended);
}
