// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.FairnessPolicy;
import io.declock.ReleaseRead;
import io.declock.simulation.PaperExperiment.Result;
import io.declock.simulation.PaperExperiment.Setting;
import org.junit.jupiter.api.Test;

/** The figures of DecLock, sections 6.2 and 6.4, on its default workload, shortened. */
class PaperExperimentTest {
    private static final Setting SHORT = Setting.DEFAULT.lasting(10_000_000);

    @Test
    void anAcquisitionCostsAtMostElevenTenthsOfAVerbAndRefetchesAreRare() {
        Result result = PaperExperiment.run(1, SHORT);
        System.out.println(result);
        assertThat(result.acquisitions()).isGreaterThan(20_000);
        assertThat(result.acquireOperationsPerRemote()).isBetween(1.0, 1.10);
        assertThat(result.refetchesPerRelease()).isLessThanOrEqualTo(0.018);
        assertThat(result.releaseOperationsPerRemote()).as("the paper has 2").isLessThan(1.2);
        assertThat(result.resetOperations()).isZero();
        assertThat(result.selfChecks()).as("nobody waits that long").isLessThan(result.remote() / 100);
    }

    @Test
    void soItIsWithReleasesAsInThePaper() {
        Result result = PaperExperiment.run(1, SHORT.with(FairnessPolicy.TASK_FAIR, false, ReleaseRead.ALWAYS));
        System.out.println(result);
        assertThat(result.acquireOperationsPerRemote()).isBetween(1.0, 1.10);
        assertThat(result.refetchesPerRelease()).isLessThanOrEqualTo(0.025);
        assertThat(result.releaseOperationsPerRemote()).isBetween(1.9, 2.0);
    }

    @Test
    void preArmedHandOversAreFaster() {
        Result with = PaperExperiment.run(1, SHORT.with(FairnessPolicy.TASK_FAIR, true, ReleaseRead.ALWAYS));
        Result without = PaperExperiment.run(1, SHORT.with(FairnessPolicy.TASK_FAIR, false, ReleaseRead.ALWAYS));
        assertThat(with.acquisitions()).isGreaterThan(without.acquisitions() * 21 / 20);
    }

    @Test
    void keptLocksCostAtMostOneReadInTwentyAcquisitionsWhereManyWantManyLocks() {
        Result kept = PaperExperiment.run(1, SHORT.keeping());
        System.out.println(kept);
        assertThat(kept.acquireOperationsPerRemote()).isBetween(1.0, 1.15);
        assertThat(kept.releaseOperationsPerRemote()).isLessThan(1.2);
        assertThat(kept.resetOperations()).isZero();
    }

    @Test
    void theSameSeedGivesTheSameFigures() {
        Setting setting = Setting.DEFAULT.lasting(1_000_000);
        assertThat(PaperExperiment.run(5, setting)).isEqualTo(PaperExperiment.run(5, setting));
    }
}
