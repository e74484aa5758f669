// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.simulation.PaperExperiment.Result;
import io.declock.simulation.PaperExperiment.Setting;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The number of compute nodes and of memory nodes does not change what an acquisition costs: flat within a tenth. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ScaleTest {
    private static final int LOCKS_PER_NODE = 100;
    private static final double FLAT = 1.1;

    private Result few;

    @BeforeAll
    void runFew() {
        few = run(1, 8);
    }

    private static Result run(int memoryNodes, int computeNodes) {
        Setting setting =
                Setting.DEFAULT.lasting(500_000).with(memoryNodes, computeNodes, computeNodes * LOCKS_PER_NODE);
        return PaperExperiment.run(1, setting);
    }

    @Test
    void fewNodesAcquireWithAboutOneVerb() {
        assertThat(few.acquisitions()).isGreaterThan(500);
        assertThat(few.acquireOperationsPerRemote()).isBetween(1.0, 1.05);
    }

    @ParameterizedTest
    @CsvSource({"1, 512", "1, 4095", "64, 64"})
    void manyNodesAcquireWithAsMany(int memoryNodes, int computeNodes) {
        Result many = run(memoryNodes, computeNodes);
        System.out.println(many);
        assertThat(many.acquisitions()).isGreaterThan(few.acquisitions());
        assertThat(many.acquireOperationsPerRemote()).isLessThan(few.acquireOperationsPerRemote() * FLAT);
        assertThat(many.releaseOperationsPerRemote()).isLessThan(few.releaseOperationsPerRemote() * FLAT);
        assertThat(many.resetOperations()).isZero();
        assertThat(many.selfChecks()).as("looks at a queue").isLessThan(many.remote() / 100);
    }
}
