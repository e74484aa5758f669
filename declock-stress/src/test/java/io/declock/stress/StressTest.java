// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.testkit.ChildProcess;
import io.declock.testkit.Commands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs jcstress on everything in this module, briefly. Longer: {@code -Ddeclock.stressMillis=N} for each test and JVM mode. */
class StressTest {
    private static final boolean QUICK = Boolean.getBoolean("declock.quick");
    private static final String MILLIS = System.getProperty("declock.stressMillis", QUICK ? "50" : "200");

    @Test
    void noForbiddenOutcomeIsSeen() throws Exception {
        Path folder = Path.of("target", "jcstress");
        Files.createDirectories(folder);
        List<String> arguments = new ArrayList<>(
                List.of("-m", "quick", "-time", MILLIS, "-iters", "1", "-f", "1", "-sc", "false", "-af", "NONE"));
        arguments.addAll(List.of("-c", "2", "-r", "results"));
        List<String> command = Commands.java(List.of(), "org.openjdk.jcstress.Main", arguments);
        ChildProcess.Finished jcstress =
                ChildProcess.run(new ProcessBuilder(command).directory(folder.toFile()), Duration.ofMinutes(10));
        String said = jcstress.text();
        assertThat(jcstress.status()).as("%s", said).isZero();
        assertThat(said).containsPattern("Results: ([1-9][0-9]*) planned; \\1 passed");
        System.out.println(said.substring(said.indexOf("RUN RESULTS")));
    }
}
