// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Trial;
import io.declock.evaluation.experiment.Trials;
import java.util.List;
import java.util.function.Function;

/**
 * An experiment of one sweep or several.
 *
 * @param about what it is about
 * @param sweeps its sweeps
 * @param conclusion what follows from them
 */
record Sweeps(About about, Function<Size, List<Sweep>> sweeps, Conclusion conclusion) implements Experiment {
    /** Says what follows from sweeps. */
    @FunctionalInterface
    interface Conclusion {
        /** Concludes. */
        Conclusions of(List<Sweep> sweeps, Trials trials);
    }

    /** Says what follows from one sweep. */
    @FunctionalInterface
    interface ConclusionOfOne {
        /** Concludes. */
        Conclusions of(Sweep sweep, Trials trials);
    }

    /** An experiment of one sweep. */
    static Sweeps of(About about, Function<Size, Sweep> sweep, ConclusionOfOne conclusion) {
        return new Sweeps(
                about, size -> List.of(sweep.apply(size)), (sweeps, trials) -> conclusion.of(sweeps.get(0), trials));
    }

    /** Returns it with those values of the sweeps' parameter only that are chosen. */
    Sweeps only(List<Double> chosen) {
        return new Sweeps(
                about,
                size -> sweeps.apply(size).stream()
                        .map(sweep -> sweep.only(chosen))
                        .toList(),
                conclusion);
    }

    @Override
    public List<Trial> trials(Size size) {
        return sweeps.apply(size).stream()
                .flatMap(sweep -> sweep.trials().stream())
                .toList();
    }

    @Override
    public Conclusions conclude(Size size, Trials trials) {
        return conclusion.of(sweeps.apply(size), trials);
    }
}
