// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

/** What a trial measures. */
public enum Metric {
    /** Operations of the application in a second. */
    OPERATIONS("operations", "1/s"),
    /** Half of the operations take at most that long, from their beginning to the end of their release. */
    MEDIAN("median latency", "µs"),
    /** 99 of 100 operations take at most that long. */
    P99("99th percentile of the latency", "µs"),
    /** The mean of the operations' latencies. */
    MEAN("mean latency", "µs"),
    /** The median of the operations of the first kind. */
    MEDIAN_OF_FIRST_KIND("median latency of the first kind", "µs"),
    /** The median of the operations of the fifth kind. */
    MEDIAN_OF_FIFTH_KIND("median latency of the fifth kind", "µs"),
    /** The mean of the operations of the second kind; zero if there were none. */
    MEAN_OF_SECOND_KIND("mean latency of the second kind", "µs"),
    /** The median of the operations under the most popular lock. */
    HOT_MEDIAN("median latency under the most popular lock", "µs"),
    /** The 99th percentile of the operations under the most popular lock. */
    HOT_P99("99th percentile of the latency under the most popular lock", "µs"),
    /** The mean of the time from the request for a lock to its grant. */
    ACQUIRE_MEAN("mean time to acquire", "µs"),
    /** Half of the acquisitions take at most that long. */
    ACQUIRE_MEDIAN("median time to acquire", "µs"),
    /** 99 of 100 acquisitions take at most that long. */
    ACQUIRE_P99("99th percentile of the time to acquire", "µs"),
    /** Half of the acquisitions of the most popular lock take at most that long. */
    HOT_ACQUIRE_MEDIAN("median time to acquire the most popular lock", "µs"),
    /** 99 of 100 acquisitions of the most popular lock take at most that long. */
    HOT_ACQUIRE_P99("99th percentile of the time to acquire the most popular lock", "µs"),
    /** The mean of the time from the call that releases a lock to its end. */
    RELEASE_MEAN("mean time to release", "µs"),
    /** Verbs of acquiring, for each acquisition. */
    ACQUIRE_VERBS("verbs to acquire", "for each acquisition"),
    /** Verbs of releasing, with those by which a holder looks at the queue, for each acquisition. */
    RELEASE_VERBS("verbs to release", "for each acquisition"),
    /** READs by which waiters look at the queue themselves, for each acquisition. */
    SELF_CHECKS("READs of waiters that look themselves", "for each acquisition"),
    /** READs by which holders look at the queue, for each acquisition. */
    LOOKS("READs of holders that look", "for each acquisition"),
    /** Bytes of verbs on locks, written ones and results, for each acquisition. */
    LOCK_BYTES("bytes of verbs on locks", "for each acquisition"),
    /** Verbs of acquiring and releasing that are no READs, for each acquisition. */
    ATOMICS("atomics", "for each acquisition"),
    /** READs of acquiring and releasing, for each acquisition. */
    READS("READs", "for each acquisition"),
    /** READs that were repeated because an entry of the queue was not filled, for each release. */
    REFETCHES("repeated READs", "for each release"),
    /** Messages between compute nodes, for each acquisition. */
    MESSAGES("messages", "for each acquisition"),
    /** How long the memory node's adapter was busy, as a share of the time. */
    UTILISATION("utilisation of the memory node's adapter", "%"),
    /** Jain's index of the clients' operations: 1 if all have the same number. */
    JAIN("Jain's fairness index", ""),
    /** How long something took. */
    DURATION("duration", "µs"),
    /** Operations that their clients gave up or failed in, as a share of all that ended. */
    ABORTED("aborted operations", "%"),
    /** How often something was taken away, for each acquisition. */
    RESETS("resets", "for each acquisition");

    private final String label;
    private final String unit;

    Metric(String label, String unit) {
        this.label = label;
        this.unit = unit;
    }

    /** Returns what it is called in the report. */
    public String label() {
        return label;
    }

    /** Returns its unit, empty if it has none. */
    public String unit() {
        return unit;
    }
}
