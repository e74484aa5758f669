// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What is counted of the adapter's work. Thread-safe; values only grow. */
public final class RdmaCounters {
    private static final int STATUSES = 24;

    /** Polls that found something. */
    public final LongAdder polls = new LongAdder();
    /** Polls that found nothing. */
    public final LongAdder emptyPolls = new LongAdder();
    /** Times the completion thread went to sleep. */
    public final LongAdder sleeps = new LongAdder();
    /** Times that an event was asked for, by whichever thread. */
    public final LongAdder armings = new LongAdder();
    /** Chains that waited: the most were under way, or another thread was just posting. */
    public final LongAdder waits = new LongAdder();
    /** Connections that came to stand. */
    public final LongAdder connections = new LongAdder();
    /** Connection requests that were rejected here. */
    public final LongAdder rejections = new LongAdder();

    private final LongAdder[] errors = new LongAdder[STATUSES];

    /** Makes counters at zero. */
    public RdmaCounters() {
        for (int i = 0; i < STATUSES; i++) {
            errors[i] = new LongAdder();
        }
    }

    /** Counts a completion with an error. */
    void error(int status) {
        errors[Math.min(status, STATUSES - 1)].increment();
    }

    /** Returns how many completions with errors there were, by the name of their status; only those that occurred. */
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
