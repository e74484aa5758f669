// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.evaluation.experiment.Experiment;
import java.util.ArrayList;
import java.util.List;

/** All experiments. */
public final class Experiments {
    private Experiments() {}

    /** Returns them in the order of the report. */
    public static List<Experiment> all() {
        List<Experiment> all = new ArrayList<>(DecLockClients.all(Variation.NONE));
        all.addAll(DecLockLoads.all(Variation.NONE));
        all.add(DecLockParts.heterogeneous(Variation.NONE));
        all.addAll(DecLockUpkeep.all());
        all.add(DecLockHierarchy.experiment());
        all.add(DecLockCapacity.experiment());
        all.add(DecLockFailures.experiment());
        all.add(DecLockRules.experiment());
        all.addAll(DecLockApplications.all());
        all.addAll(ShiftLockLoads.all());
        all.addAll(LockTraces.shiftLock());
        all.add(Failures.experiment());
        all.addAll(LockTraces.dslr());
        all.addAll(DslrLeases.all());
        all.add(new LocalMajority());
        all.add(SoulLatency.experiment());
        return List.copyOf(all);
    }
}
