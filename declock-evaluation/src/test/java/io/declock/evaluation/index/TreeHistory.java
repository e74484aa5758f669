// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.evaluation.data.History;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** What the clients of a tree have seen. Thread-safe. */
public final class TreeHistory implements TreeObserver {
    private final History<Long> history = new History<>();
    private final int keys;

    /**
     * Begins with what a load puts there.
     *
     * @param keys keys are from one up to this
     */
    public TreeHistory(IndexLoad load, int keys) {
        this.keys = keys;
        load.keys().forEach(key -> history.initially(key, -key));
    }

    @Override
    public void found(long key, @Nullable Long value, long begun, long ended) {
        history.read(key, value, begun, ended);
    }

    @Override
    public void scanned(long from, long until, SortedMap<Long, Long> entries, long begun, long ended) {
        LongStream.range(from, Math.min(until, keys + 1L))
                .forEach(key -> history.read(key, entries.get(key), begun, ended));
        assertThat(entries.tailMap(until)).isEmpty();
    }

    @Override
    public void wrote(long key, @Nullable Long value, long begun, long ended) {
        history.written(key, value, begun, ended);
    }

    public int reads() {
        return history.reads();
    }

    public void check() {
        history.check();
    }

    /** Checks that a tree has, in the end, what was written last. */
    public void checkAtRest(SortedMap<Long, Long> entries) {
        for (long key = 1; key <= keys; key++) {
            List<Long> values = history.values(key);
            assertThat(entries.get(key))
                    .as("the value of key %s in the end", key)
                    .isEqualTo(values.get(values.size() - 1));
        }
    }
}
