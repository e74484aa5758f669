// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the adapter's work. Thread-safe; values only grow. */
public final class RdmaCounters {
    private static final int STATUSES = 24;

    /** Polls that found completions. */
    public final LongAdder polls = new LongAdder();
    /** Polls that found no completion. */
    public final LongAdder emptyPolls = new LongAdder();
    /** Times the completion thread went to sleep. */
    public final LongAdder sleeps = new LongAdder();
    /** Times that any thread requested an event. */
    public final LongAdder armings = new LongAdder();
    /** Chains that waited, because the maximum number was in flight or another thread was just posting. */
    public final LongAdder waits = new LongAdder();
    /** Connections established. */
    public final LongAdder connections = new LongAdder();
    /** Connection requests that this side rejected. */
    public final LongAdder rejections = new LongAdder();

    private final LongAdder[] errors = new LongAdder[STATUSES];

    /** Makes counters that start at zero. */
    public RdmaCounters() {
        for (int i = 0; i < STATUSES; i++) {
            errors[i] = new LongAdder();
        }
    }

    /** Counts a completion with an error. */
    void error(int status) {
        errors[Math.min(status, STATUSES - 1)].increment();
    }

    /** Returns the number of completions with errors by the name of their status; only statuses that occurred. */
    public Map<String, Long> errors() {
        Map<String, Long> byStatus = new LinkedHashMap<>();
        for (int i = 1; i < STATUSES; i++) {
            if (errors[i].sum() > 0) {
                byStatus.put(CompletionStatus.name(i), errors[i].sum());
            }
        }
        return byStatus;
    }
}
