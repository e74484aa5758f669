// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/**
 * The events of a run: always as a hash, with which two runs can be compared, and on demand as the last lines of text. Lines are
 * formatted only if they are kept.
 */
public final class Trace {
    private final int keep;
    private final Deque<String> lines = new ArrayDeque<>();
    private long hash = 0x9E3779B97F4A7C15L;

    /** Makes a trace that keeps that many lines, 0 for the hash alone. */
    public Trace(int keep) {
        this.keep = keep;
    }

    /** Mixes a value into the hash. */
    public void mix(long value) {
        long mixed = (hash ^ value) * 0xBF58476D1CE4E5B9L;
        hash = mixed ^ mixed >>> 29;
    }

    /** Adds a line. */
    public void line(long now, Supplier<String> text) {
        if (keep == 0) {
            return;
        }
        if (lines.size() == keep) {
            lines.removeFirst();
        }
        lines.addLast(String.format("%,15d ns  %s", now, text.get()));
    }

    /** Returns the hash of everything so far. */
    public long hash() {
        return hash;
    }

    /** Returns the lines kept. */
    public List<String> lines() {
        return List.copyOf(lines);
    }
}
