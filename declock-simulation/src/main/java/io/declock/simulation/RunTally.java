// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.Purpose;
import io.declock.Verb;
import io.declock.spi.VerbChain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/** Counts what happens in the window of a {@link ModelRun}. */
final class RunTally {
    private static final int DIGITS = 3;

    private final Histogram all = new Histogram(DIGITS);
    private final List<Histogram> kinds = new ArrayList<>();
    private final Map<LockMode, Histogram> waits = new EnumMap<>(LockMode.class);
    private final Histogram firstLockWaits = new Histogram(DIGITS);
    private final Histogram releases = new Histogram(DIGITS);
    private final long[] operationsOf;
    private final long sliceNanos;
    private final long[] slices;
    private boolean counting;
    private long acquisitions;
    private long acquire;
    private long release;
    private long data;
    private long reset;
    private long reads;
    private long writes;
    private long atomics;
    private long messages;
    private long aborted;
    private long lockBytes;
    private long selfChecks;
    private long looks;

    /**
     * Makes one.
     *
     * @param slice length of the slices of the whole run in which operations are counted, or zero for none
     * @param run length of the run
     */
    RunTally(int clients, long slice, long run) {
        this.operationsOf = new long[clients];
        this.sliceNanos = slice;
        this.slices = new long[slice == 0 ? 0 : (int) ((run + slice - 1) / slice)];
        for (LockMode mode : LockMode.values()) {
            waits.put(mode, new Histogram(DIGITS));
        }
    }

    /** The window begins. */
    void begin() {
        counting = true;
    }

    /**
     * A chain was posted.
     *
     * @param resultBytes bytes of its results on the way
     */
    void posted(VerbChain chain, long resultBytes) {
        if (!counting) {
            return;
        }
        if (chain.purpose() != Purpose.INSPECT) {
            lockBytes += resultBytes + writtenBytes(chain);
        }
        selfChecks += chain.purpose() == Purpose.SELF_CHECK ? 1 : 0;
        looks += chain.purpose() == Purpose.PREFETCH ? 1 : 0;
        for (int i = 0; i < chain.size(); i++) {
            count(chain.verb(i));
            count(chain.purpose(), chain.verb(i));
        }
    }

    private static long writtenBytes(VerbChain chain) {
        long words = 0;
        for (int i = 0; i < chain.size(); i++) {
            words += chain.verb(i) == Verb.WRITE ? chain.words(i) : 0;
        }
        return words * Long.BYTES;
    }

    private void count(Verb verb) {
        switch (verb) {
            case READ -> reads++;
            case WRITE -> writes++;
            default -> atomics++;
        }
    }

    private void count(Purpose purpose, Verb verb) {
        switch (purpose) {
            case RELEASE, PREFETCH, REFETCH -> release++;
            case RESET -> reset++;
            case INSPECT -> data++;
            case REQUEUE -> {
                if (verb == Verb.READ) {
                    release++;
                } else {
                    acquire++;
                }
            }
            default -> acquire++;
        }
    }

    void sent() {
        messages += counting ? 1 : 0;
    }

    void aborted() {
        aborted += counting ? 1 : 0;
    }

    void granted(int lock, LockMode mode, long wait) {
        if (counting) {
            acquisitions++;
            Objects.requireNonNull(waits.get(mode)).recordValue(wait);
            if (lock == 0) {
                firstLockWaits.recordValue(wait);
            }
        }
    }

    void released(long nanos) {
        if (counting) {
            releases.recordValue(nanos);
        }
    }

    void done(int client, int kind, long nanos, long now) {
        if (sliceNanos > 0) {
            int slice = (int) (now / sliceNanos);
            slices[Math.min(slice, slices.length - 1)]++;
        }
        if (!counting) {
            return;
        }
        while (kinds.size() <= kind) {
            kinds.add(new Histogram(DIGITS));
        }
        all.recordValue(nanos);
        kinds.get(kind).recordValue(nanos);
        operationsOf[client]++;
    }

    Outcome outcome(long window, long busy, long hash) {
        Map<LockMode, Latencies> waited = new EnumMap<>(LockMode.class);
        waits.forEach((mode, histogram) -> waited.put(mode, new Latencies(histogram)));
        return new Outcome(
                window,
                operations(all, window),
                aborted,
                kinds.stream().map(kind -> operations(kind, window)).toList(),
                acquisitions,
                waited,
                new Outcome.Verbs(acquire, release, data, reset, reads, writes, atomics),
                messages,
                (double) busy / window,
                fairness(operationsOf),
                new Outcome.Locking(
                        new Latencies(firstLockWaits), new Latencies(releases), lockBytes, selfChecks, looks),
                Arrays.stream(slices).boxed().toList(),
                hash);
    }

    private static Outcome.Operations operations(Histogram histogram, long window) {
        return new Outcome.Operations(
                histogram.getTotalCount(), histogram.getTotalCount() * 1e9 / window, new Latencies(histogram));
    }

    /** Returns Jain's index; one if there is nothing. */
    static double fairness(long[] shares) {
        double sum = 0;
        double squares = 0;
        for (long share : shares) {
            sum += share;
            squares += (double) share * share;
        }
        return squares == 0 ? 1 : sum * sum / (shares.length * squares);
    }
}
