// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What clients have read and written under keys, and whether that is linearizable for each key: writes exclude each other, each read returns a value that was there at some moment between its begin and
 * end, and no read returns an older one than a read that ended before it began. Null is the value of a key without one. Thread-safe.
 */
public final class History<V> {
    private record Write<V>(V value, long begun, long ended) {}

    private record Read<V>(V value, long begun, long ended) {}

    private final Map<Long, List<Write<V>>> writes = new HashMap<>();
    private final Map<Long, List<Read<V>>> reads = new HashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    public void initially(long key, V value) {
        written(key, value, Long.MIN_VALUE, Long.MIN_VALUE);
    }

    public void written(long key, V value, long begun, long ended) {
        lock.lock();
        try {
            writes.computeIfAbsent(key, any -> new ArrayList<>()).add(new Write<>(value, begun, ended));
        } finally {
            lock.unlock();
        }
    }

    public void read(long key, V value, long begun, long ended) {
        lock.lock();
        try {
            reads.computeIfAbsent(key, any -> new ArrayList<>()).add(new Read<>(value, begun, ended));
        } finally {
            lock.unlock();
        }
    }

    /** Returns the values of a key in the order in which they were written. */
    public List<V> values(long key) {
        return states(key).stream().map(Write::value).toList();
    }

    /** Returns the keys that were written. */
    public List<Long> keys() {
        return List.copyOf(writes.keySet());
    }

    public int reads() {
        return reads.values().stream().mapToInt(List::size).sum();
    }

    private List<Write<V>> states(long key) {
        List<Write<V>> states = new ArrayList<>(writes.getOrDefault(key, List.of()));
        states.sort(Comparator.comparingLong(Write::begun));
        if (states.isEmpty() || states.get(0).begun() != Long.MIN_VALUE) {
            states.add(0, new Write<>(null, Long.MIN_VALUE, Long.MIN_VALUE));
        }
        return states;
    }

    public void check() {
        for (long key : writes.keySet()) {
            List<Write<V>> states = states(key);
            for (int i = 1; i < states.size(); i++) {
                assertThat(states.get(i).begun())
                        .as("key %s: a write begins before the last one has ended", key)
                        .isGreaterThanOrEqualTo(states.get(i - 1).ended());
            }
        }
        reads.forEach(this::check);
    }

    private void check(long key, List<Read<V>> all) {
        List<Write<V>> states = states(key);
        List<Read<V>> byEnd = new ArrayList<>(all);
        byEnd.sort(Comparator.comparingLong(Read::ended));
        long[] ends = new long[byEnd.size()];
        int[] newest = new int[byEnd.size()];
        for (int i = 0; i < byEnd.size(); i++) {
            Read<V> read = byEnd.get(i);
            int least = newestBefore(ends, newest, i, read.begun());
            int state = state(states, read, least);
            assertThat(state)
                    .as("key %s: %s was not there, or older than what was read before; states %s", key, read, states)
                    .isGreaterThanOrEqualTo(0);
            ends[i] = read.ended();
            newest[i] = i == 0 ? state : Math.max(newest[i - 1], state);
        }
    }

    private static int newestBefore(long[] ends, int[] newest, int count, long begun) {
        for (int i = count - 1; i >= 0; i--) {
            if (ends[i] < begun) {
                return newest[i];
            }
        }
        return 0;
    }

    private int state(List<Write<V>> states, Read<V> read, int least) {
        for (int i = least; i < states.size(); i++) {
            boolean begins = states.get(i).begun() <= read.ended();
            boolean lasts = i + 1 == states.size() || states.get(i + 1).ended() >= read.begun();
            if (begins && lasts && Objects.equals(states.get(i).value(), read.value())) {
                return i;
            }
        }
        return -1;
    }
}
