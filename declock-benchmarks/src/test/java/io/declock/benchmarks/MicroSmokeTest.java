// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every microbenchmark still runs. */
class MicroSmokeTest {
    @Test
    @Timeout(120)
    void run() throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include("io.declock.benchmarks.micro")
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(50))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        assertThat(results).hasSizeGreaterThanOrEqualTo(9);
    }

    @Test
    void optionsOfJmhAreTaken() {
        assertThat(Benchmarks.execute("micro", "-l", "-wi", "2", "-prof", "gc")).isZero();
    }
}
