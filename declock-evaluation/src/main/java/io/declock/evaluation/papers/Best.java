// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.evaluation.experiment.Metric;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Trials;

/** DecLock under the better one of its two policies, where a paper says DecLock and means both. */
final class Best {
    private static final String TASK_FAIR = Lock.DECLOCK_TF.name();
    private static final String PHASE_FAIR = Lock.DECLOCK_PF.name();

    private Best() {}

    /** Returns how many times another lock's operations DecLock has where that is most. */
    static double gain(Sweep sweep, Trials trials, Lock other) {
        return Math.max(
                sweep.largestRatio(trials, TASK_FAIR, other.name(), Metric.OPERATIONS),
                sweep.largestRatio(trials, PHASE_FAIR, other.name(), Metric.OPERATIONS));
    }

    /** Returns by how many percent DecLock's value is below another lock's where that is most. */
    static double reduction(Sweep sweep, Trials trials, Lock other, Metric metric) {
        return Math.max(
                sweep.largestReduction(trials, TASK_FAIR, other.name(), metric),
                sweep.largestReduction(trials, PHASE_FAIR, other.name(), metric));
    }

    /** Returns the larger one of the most that DecLock has under either policy. */
    static double most(Sweep sweep, Trials trials, Metric metric) {
        return Math.max(sweep.most(trials, TASK_FAIR, metric), sweep.most(trials, PHASE_FAIR, metric));
    }
}
