// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.CASLOCK;
import static io.declock.evaluation.papers.Lock.DECLOCK_PF;
import static io.declock.evaluation.papers.Lock.DECLOCK_TF;
import static io.declock.evaluation.papers.Lock.DSLR_PLUS;
import static io.declock.evaluation.papers.Lock.SHIFTLOCK;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Figure.Axis;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Metric;
import io.declock.evaluation.experiment.Paper;
import io.declock.evaluation.experiment.Published;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Trials;
import io.declock.evaluation.load.Microbenchmark.Settings;
import java.util.List;

/** DecLock's microbenchmark with 256 clients under other loads: figures 12 (b) to (e) and 13. */
final class DecLockLoads {
    /** The locks of figures 12 and 13. */
    static final List<Lock> LOCKS = List.of(CASLOCK, DSLR_PLUS, SHIFTLOCK, DECLOCK_TF, DECLOCK_PF);

    private static final double[] INSIDE = {0, 1, 2, 4, 8, 16, 32};
    /** The longer a lock is held, the longer it takes until nearly all clients of CASLock wait for the most popular locks. */
    private static final double LONG_MILLIS = 100;

    private static final double[] READ_PERCENT = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
    private static final double[] NUMBERS_OF_LOCKS = {1e3, 1e4, 1e5, 1e6, 1e7};
    /** Ten million locks need gigabytes of memory, which a build does not have. */
    private static final double[] FEWER_LOCKS = {1e3, 1e5, 1e6};

    private static final double[] EXPONENTS = {0, 0.5, 0.9, 0.99, 0.999};
    private static final String DEFAULTS =
            "256 clients in 8 compute nodes, 100,000 locks by Zipf's law (0.99), half of the operations read, one verb inside; varied: ";

    private static final String ONE_VERB_MORE =
            "The modelled adapter's pipeline is the limit. An operation without a conflict needs 3 verbs with this lock and 4 with DecLock, of which each release reads the queue, as in the paper; 4 / 3 = 1.33. In the paper something else is the limit here, which the model does not have.";

    private static final String READERS_GET_IN =
            "A reader of CASLock here counts itself by fetch-and-add, and gets in beside readers whatever writers wait; with 90% readers few conflicts are left, and CASLock has more than twice its operations with half of them. The paper does not say why its CASLock gains nothing from readers.";

    private static final String GATHERS =
            "Clients of CASLock gather at the most popular locks for longer than is measured here: with 32 verbs inside there are 101 retries after 15 ms of virtual time and 316 after 200 ms. The paper measures for 2 s.";

    private static final String ONE_AFTER_THE_OTHER =
            "Here a client posts the verbs inside one after the other. With 32 of them a write lasts 70 µs, and the most popular lock, for which 7.8% of all operations ask, allows about 0.25 million operations/s, whichever lock it is. In the paper 7.6 million compare-and-swaps/s (2.2) and 387.9 retries make 0.020 million operations/s of CASLock, and 43.47 times that is 0.85 million: a write lasts 20 µs at most. Posted at once (declock-figure-12b-at-once), they bring the values nearer to the paper's.";

    private static final String MORE_RETRIES =
            "CASLock's clients still gather: it has 274 retries here and 387.9 in the paper, which measures for longer. Its atomics saturate the memory node's adapter, so with as many retries it would have 0.71 times its operations, and DecLock 45.8 times as many.";

    private static final String OVER_SHIFTLOCK =
            "With 1 µs of a processor for each verb, completion and message it is 1.3, with 1.5 µs 1.6; an atomic of 29 ns, and 131 ns in its bucket, makes it 1.8 (sensitivity: processor-1000, processor-1500, atomics-29-131).";

    private static final String READERS_OF_DSLR =
            "With 1 µs of a processor for each verb and each completion these are 1.64 at least and 2.36 at most: clients that are slower retry less. A back-off of DSLR+ up to 12.8 µs makes them 1.44 and 3.22. Without this library's bounds on hand-overs inside a compute node they are 1.62 and 2.92, and with 1 µs besides 1.31 and 1.62 (sensitivity: processor-1000, dslr-12800, declock-unbounded, processor-1000-declock-as-printed).";

    private static final String SHARED_BY_READERS =
            "DecLock has this library's bounds on hand-overs inside a compute node here, which the paper does not print. Without them it is 1.09, and with 1 µs of a processor for each verb, completion and message besides 1.38; but then DecLock-PF has no more than 0.708 times ShiftLock's operations at some share of readers, where the paper's has 1.12 times at least (sensitivity: declock-unbounded, processor-1000-declock-as-printed).";

    private static final String RISE =
            "Under 10 million locks the memory node's adapter is the limit. Under 1,000 it is how fast the most popular locks are handed over, and that is too fast without time of the processors. With 0.5 µs for each verb, completion and message the rises are 1.79 (DSLR+), 1.96 (ShiftLock), 1.78 (DecLock-TF) and 1.67 (DecLock-PF), with 1 µs 1.93, 2.14, 2.28 and 2.23 (sensitivity: processor-500, processor-1000). Without this library's bounds on hand-overs DecLock's are 1.66 and 1.74 (sensitivity: declock-unbounded). DSLR+'s is 2.35 with a back-off up to 12.8 µs (sensitivity: dslr-12800).";

    private static final String MEDIAN_OF_SHIFTLOCK =
            "It depends on how the verbs inside are posted: all at once (declock-figure-13-at-once) they make it 32.38%. One after the other it is 25.38% without this library's bounds on hand-overs. A processor's time does not matter: -0.901% with 1 µs for each verb and each completion (sensitivity: at-once, declock-unbounded, processor-1000).";

    private static final String RETRIES_OF_DSLR =
            "With 1.5 µs of a processor for each verb and each completion it is 306.7, with the verbs inside one after the other (sensitivity: processor-1500). Posted at once they make holds, and so waits, shorter.";

    private static final String RETRIES_OF_SHIFTLOCK =
            "It depends on how long a waiter pauses between two READs, which the paper does not print, and on the length of the holds: without a pause it is 14.15 with the verbs inside one after the other (sensitivity: shiftlock-no-pause). Posted at once they make holds, and so waits, shorter.";

    private static final String TAIL =
            "This library's bounds on hand-overs inside a compute node shorten DecLock's tail, and the paper does not print them. By timestamps alone, as it prints them, DecLock's 99th percentile is 64.64% below DSLR+'s and 40.86% below ShiftLock's at most, with the verbs inside one after the other (sensitivity: declock-unbounded). The price, a longer median, is in the table of declock-rules.";

    private final Variation variation;

    private DecLockLoads(Variation variation) {
        this.variation = variation;
    }

    /** Returns the experiments under a variation. */
    static List<Sweeps> all(Variation variation) {
        DecLockLoads experiments = new DecLockLoads(variation);
        return List.of(
                experiments.criticalSection(false),
                experiments.criticalSection(true),
                experiments.readShare(),
                experiments.numberOfLocks(),
                experiments.skew(),
                experiments.latency(false),
                experiments.latency(true));
    }

    /** Returns the sweep of the critical section's length. */
    static Sweep insideSweep(Size size, List<Lock> locks) {
        return new DecLockLoads(Variation.NONE).insideSweep(size, locks, Settings.DECLOCK);
    }

    private Sweep insideSweep(Size size, List<Lock> locks, Settings settings) {
        return variation.sweep(
                size,
                locks,
                inside -> variation
                        .decLock(settings.withVerbsInside((int) inside))
                        .lasting(LONG_MILLIS, LONG_MILLIS),
                INSIDE);
    }

    private static Settings inside(boolean atOnce) {
        return atOnce ? Settings.DECLOCK.withVerbsTogether() : Settings.DECLOCK;
    }

    private static About aboutInside(String id, String title, boolean atOnce, String where) {
        return about(
                atOnce ? id + "-at-once" : id,
                atOnce ? title + ", verbs posted at once" : title,
                where,
                "the verbs inside, " + (atOnce ? "all posted at once." : "one after the other."),
                "The paper does not say whether a client waits for each verb inside before it posts the next one. Both are run.");
    }

    private static About about(String id, String title, String where, String varied, String... differences) {
        return new About(id, title, Paper.DECLOCK, where, DEFAULTS + varied, List.of(differences));
    }

    private Sweeps criticalSection(boolean atOnce) {
        return Sweeps.of(
                aboutInside("declock-figure-12b", "Length of the critical section", atOnce, "6.2, figure 12"),
                size -> insideSweep(size, LOCKS, inside(atOnce)),
                (sweep, trials) -> concludeCriticalSection(sweep, trials, atOnce));
    }

    private static Conclusions concludeCriticalSection(Sweep sweep, Trials trials, boolean atOnce) {
        String figure = atOnce ? "declock-12b-at-once" : "declock-12b";
        Finding overCas = new Finding(
                "DecLock over CASLock, at most",
                Published.times(43.47, "6.2; 43.37 in the abstract"),
                Best.gain(sweep, trials, CASLOCK));
        List<Finding> findings = List.of(
                atOnce ? overCas.because(MORE_RETRIES) : overCas,
                new Finding(
                        "DecLock over DSLR+, at most",
                        Published.times(4.35, "6.2"),
                        Best.gain(sweep, trials, DSLR_PLUS)),
                new Finding(
                                "DecLock over ShiftLock, at most",
                                Published.times(1.81, "6.2"),
                                Best.gain(sweep, trials, SHIFTLOCK))
                        .because(OVER_SHIFTLOCK));
        return new Conclusions(
                List.of(sweep.throughput(trials, figure, "Throughput by verbs inside", Axis.linear("verbs inside"))),
                atOnce
                        ? findings
                        : findings.stream()
                                .map(finding ->
                                        finding.reason() == null ? finding.because(ONE_AFTER_THE_OTHER) : finding)
                                .toList());
    }

    private Sweeps readShare() {
        return Sweeps.of(
                about("declock-figure-12c", "Share of readers", "6.2, figure 12", "the share of reading operations."),
                size -> variation.sweep(
                        size,
                        LOCKS,
                        percent -> variation.decLock(Settings.DECLOCK.withReadShare(percent / 100)),
                        READ_PERCENT),
                DecLockLoads::concludeReadShare);
    }

    private static Conclusions concludeReadShare(Sweep sweep, Trials trials) {
        Sweep mixed = sweep.between(0, 99);
        String where = "6.2";
        String tf = DECLOCK_TF.name();
        return new Conclusions(
                List.of(sweep.throughput(
                        trials, "declock-12c", "Throughput by share of readers", Axis.linear("readers, %"))),
                List.of(
                        new Finding(
                                        "DecLock-TF over DSLR+, at least",
                                        Published.times(1.18, where),
                                        mixed.smallestRatio(trials, tf, DSLR_PLUS.name(), Metric.OPERATIONS))
                                .because(READERS_OF_DSLR),
                        new Finding(
                                        "DecLock-TF over DSLR+, at most",
                                        Published.times(2.50, where),
                                        mixed.largestRatio(trials, tf, DSLR_PLUS.name(), Metric.OPERATIONS))
                                .because(READERS_OF_DSLR),
                        new Finding(
                                        "DecLock-TF over CASLock, at least",
                                        Published.times(15.31, where),
                                        mixed.smallestRatio(trials, tf, CASLOCK.name(), Metric.OPERATIONS))
                                .because(READERS_GET_IN),
                        new Finding(
                                "DecLock-TF over CASLock, at most",
                                Published.times(20.80, where),
                                mixed.largestRatio(trials, tf, CASLOCK.name(), Metric.OPERATIONS)),
                        new Finding(
                                        "ShiftLock over DecLock-TF, at most",
                                        Published.times(1.55, where),
                                        mixed.largestRatio(trials, SHIFTLOCK.name(), tf, Metric.OPERATIONS))
                                .because(SHARED_BY_READERS),
                        new Finding(
                                "DecLock-PF over ShiftLock, at least",
                                Published.times(1.12, where),
                                mixed.smallestRatio(trials, DECLOCK_PF.name(), SHIFTLOCK.name(), Metric.OPERATIONS)),
                        new Finding(
                                "DecLock-PF over ShiftLock, at most",
                                Published.times(1.55, where),
                                mixed.largestRatio(trials, DECLOCK_PF.name(), SHIFTLOCK.name(), Metric.OPERATIONS)),
                        readersOnly(sweep, trials, CASLOCK),
                        readersOnly(sweep, trials, DSLR_PLUS).because(ONE_VERB_MORE),
                        readersOnly(sweep, trials, SHIFTLOCK).because(ONE_VERB_MORE)));
    }

    private static Finding readersOnly(Sweep sweep, Trials trials, Lock lock) {
        return new Finding(
                "readers only: " + lock.name() + " over DecLock-TF",
                Published.equal("6.2"),
                sweep.last(trials, lock.name(), Metric.OPERATIONS)
                        / sweep.last(trials, DECLOCK_TF.name(), Metric.OPERATIONS));
    }

    private Sweeps numberOfLocks() {
        return Sweeps.of(
                about("declock-figure-12d", "Number of locks", "6.2, figure 12", "the number of locks."),
                size -> variation.sweep(
                        size,
                        LOCKS,
                        locks -> variation.decLock(Settings.DECLOCK.withLocks((int) locks)),
                        size.thin() ? FEWER_LOCKS : NUMBERS_OF_LOCKS),
                (sweep, trials) -> new Conclusions(
                        List.of(sweep.throughput(
                                trials, "declock-12d", "Throughput by number of locks", Axis.logarithmic("locks"))),
                        List.of(
                                rise(sweep, trials, CASLOCK, 2.49),
                                rise(sweep, trials, DSLR_PLUS, 2.86),
                                rise(sweep, trials, SHIFTLOCK, 1.83),
                                rise(sweep, trials, DECLOCK_TF, 2.11),
                                rise(sweep, trials, DECLOCK_PF, 1.54))));
    }

    private static Finding rise(Sweep sweep, Trials trials, Lock lock, double published) {
        return new Finding(
                        lock.name() + ": 10 million locks over 1,000",
                        Published.times(published, "6.2"),
                        sweep.last(trials, lock.name(), Metric.OPERATIONS)
                                / sweep.first(trials, lock.name(), Metric.OPERATIONS))
                .because(RISE);
    }

    private Sweeps skew() {
        return Sweeps.of(
                about(
                        "declock-figure-12e",
                        "Skew",
                        "6.2, figure 12",
                        "the exponent of Zipf's law, 0 for equal shares."),
                size -> variation.sweep(
                        size, LOCKS, exponent -> variation.decLock(Settings.DECLOCK.withZipf(exponent)), EXPONENTS),
                (sweep, trials) -> new Conclusions(
                        List.of(sweep.throughput(
                                trials, "declock-12e", "Throughput by skew", Axis.linear("exponent of Zipf's law"))),
                        List.of(
                                atEqualShares(sweep, trials, CASLOCK),
                                atEqualShares(sweep, trials, DSLR_PLUS),
                                atEqualShares(sweep, trials, SHIFTLOCK))));
    }

    private static Finding atEqualShares(Sweep sweep, Trials trials, Lock lock) {
        return new Finding(
                        "equal shares: " + lock.name() + " over DecLock-TF",
                        Published.equal("6.2"),
                        sweep.first(trials, lock.name(), Metric.OPERATIONS)
                                / sweep.first(trials, DECLOCK_TF.name(), Metric.OPERATIONS))
                .because(ONE_VERB_MORE);
    }

    private Sweeps latency(boolean atOnce) {
        return Sweeps.of(
                aboutInside("declock-figure-13", "Latency", atOnce, "6.2, figure 13"),
                size -> insideSweep(size, LOCKS, inside(atOnce)),
                (sweep, trials) -> concludeLatency(sweep, trials, atOnce ? "-at-once" : ""));
    }

    private static Conclusions concludeLatency(Sweep sweep, Trials trials, String which) {
        Axis inside = Axis.linear("verbs inside");
        return new Conclusions(
                List.of(
                        sweep.figure(
                                trials,
                                "declock-13-median" + which,
                                "Median latency by verbs inside",
                                inside,
                                Metric.MEDIAN,
                                true),
                        sweep.figure(
                                trials,
                                "declock-13-p99" + which,
                                "99th percentile of the latency by verbs inside",
                                inside,
                                Metric.P99,
                                true),
                        sweep.figure(
                                trials,
                                "declock-13-verbs" + which,
                                "Verbs to acquire by verbs inside",
                                inside,
                                Metric.ACQUIRE_VERBS,
                                true)),
                List.of(
                        less(sweep, trials, "median", Metric.MEDIAN, CASLOCK, 95.8)
                                .because(GATHERS),
                        less(sweep, trials, "median", Metric.MEDIAN, DSLR_PLUS, 64.3),
                        less(sweep, trials, "median", Metric.MEDIAN, SHIFTLOCK, 28.5)
                                .because(MEDIAN_OF_SHIFTLOCK),
                        less(sweep, trials, "99th percentile", Metric.P99, CASLOCK, 98.2),
                        less(sweep, trials, "99th percentile", Metric.P99, DSLR_PLUS, 67.8)
                                .because(TAIL),
                        less(sweep, trials, "99th percentile", Metric.P99, SHIFTLOCK, 43.7)
                                .because(TAIL),
                        new Finding(
                                "DecLock: verbs for each acquisition, at most",
                                Published.atMost(1.10, "", "6.2, figure 13"),
                                Best.most(sweep, trials, Metric.ACQUIRE_VERBS)),
                        retries(sweep, trials, CASLOCK, 387.9).because(GATHERS),
                        retries(sweep, trials, DSLR_PLUS, 349.2).because(RETRIES_OF_DSLR),
                        retries(sweep, trials, SHIFTLOCK, 15.6).because(RETRIES_OF_SHIFTLOCK)));
    }

    private static Finding less(Sweep sweep, Trials trials, String what, Metric metric, Lock other, double published) {
        return new Finding(
                "DecLock's " + what + " below that of " + other.name() + ", at most",
                Published.percentLess(published, "6.2"),
                Best.reduction(sweep, trials, other, metric));
    }

    private static Finding retries(Sweep sweep, Trials trials, Lock lock, double published) {
        return new Finding(
                lock.name() + ": retries for each acquisition, at most",
                Published.size(published, "", "6.2, figure 13"),
                sweep.most(trials, lock.name(), Metric.ACQUIRE_VERBS) - 1);
    }
}
