// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.DECLOCK_TF;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Figure.Axis;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Metric;
import io.declock.evaluation.experiment.Paper;
import io.declock.evaluation.experiment.Published;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Trial;
import io.declock.evaluation.experiment.Trials;
import io.declock.evaluation.load.Microbenchmark.Settings;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.simulation.LockSystem.Variation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** How long a queue may be: figure 15 (right) of DecLock's paper. */
final class DecLockCapacity {
    private static final double[] CAPACITIES = {8, 16, 32, 64, 128, 256, 512, 1024, 2048};
    private static final double WELL = 128;
    private static final double STABLE_MICROS = 8.80;
    private static final String UNIFORM = "uniform";
    private static final String SKEWED = "Zipf 0.99";
    private static final Map<String, Double> EXPONENTS = exponents();

    private static final String SATURATED =
            "The model's memory node is busy all the time: its 3.1 million operations a second are 82 µs for each of 256 clients, and a release waits in the queue of its adapter. With 128 entries and 8, 16, 32, 64 or 128 clients a release takes 2.5, 2.6, 4.4, 9.0 or 19 µs. With the atomics' times of before their calibration to CASLock (29 ns, 435 ns in a bucket) and 256 clients it takes 14.8 µs. A processor that takes 1.5 µs for each verb and completion leaves 37.9 µs. Which number of clients the paper runs here it does not say.";

    private DecLockCapacity() {}

    private static Map<String, Double> exponents() {
        Map<String, Double> exponents = new LinkedHashMap<>();
        exponents.put(UNIFORM, 0.0);
        exponents.put("Zipf 0.9", 0.9);
        exponents.put(SKEWED, 0.99);
        return exponents;
    }

    static Experiment experiment() {
        return Sweeps.of(
                new About(
                        "declock-figure-15-capacity",
                        "The queue's capacity",
                        Paper.DECLOCK,
                        "6.5, figure 15 (right)",
                        "The default load by three exponents of Zipf's law; varied: the entries of a queue, all of which each release READs.",
                        List.of(
                                "This library has queues of up to 256 entries. Of longer ones the model has the words that a READ carries, which nobody writes: eight compute nodes need eight entries.",
                                "The text at hand does not say which exponents the paper uses besides equal shares.")),
                size -> new Sweep(
                        List.copyOf(EXPONENTS.keySet()),
                        size.of(CAPACITIES),
                        (name, capacity) -> trial(name, (int) capacity, size)),
                DecLockCapacity::conclude);
    }

    private static Trial trial(String name, int capacity, Size size) {
        DecLockSystem system = ((DecLockSystem) DECLOCK_TF.system()).with(new Variation(true, capacity, true));
        return Bench.decLock(Settings.DECLOCK.withZipf(Objects.requireNonNull(EXPONENTS.get(name))))
                .lasting(2, 20)
                .trial(new Lock("DecLock-TF, " + capacity + " entries", system), size);
    }

    private static Conclusions conclude(Sweep sweep, Trials trials) {
        Axis capacity = Axis.logarithmic("entries of a queue");
        return new Conclusions(
                List.of(
                        sweep.figure(
                                trials,
                                "declock-15-capacity",
                                "Time of a release by capacity",
                                capacity,
                                Metric.RELEASE_MEAN,
                                true),
                        sweep.throughput(trials, "declock-15-throughput", "Throughput by capacity", capacity)),
                List.of(
                        new Finding(
                                        "equal shares, up to 128 entries: mean release, at most",
                                        Published.atMost(STABLE_MICROS, "µs", "6.5"),
                                        sweep.between(0, WELL).most(trials, UNIFORM, Metric.RELEASE_MEAN))
                                .because(SATURATED),
                        new Finding(
                                "equal shares: mean release with the longest queue over the shortest",
                                Published.larger("6.5, figure 15: it rises"),
                                growth(sweep, trials, UNIFORM)),
                        new Finding(
                                "that growth with equal shares over the one by Zipf's law",
                                Published.larger("6.5: it rises faster with less skew"),
                                growth(sweep, trials, UNIFORM) / growth(sweep, trials, SKEWED))));
    }

    private static double growth(Sweep sweep, Trials trials, String name) {
        return sweep.last(trials, name, Metric.RELEASE_MEAN) / sweep.first(trials, name, Metric.RELEASE_MEAN);
    }
}
