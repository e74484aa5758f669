// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs jcstress on everything in this module, briefly. Longer: {@code -Ddeclock.stressMillis=N} for each test and JVM mode. */
class StressTest {
    private static final boolean QUICK = Boolean.getBoolean("declock.quick");
    private static final String MILLIS = System.getProperty("declock.stressMillis", QUICK ? "50" : "200");

    @Test
    void noForbiddenOutcomeIsSeen() throws Exception {
        Path folder = Path.of("target", "jcstress");
        Files.createDirectories(folder);
        Path output = folder.resolve("output.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main"));
        command.addAll(
                List.of("-m", "quick", "-time", MILLIS, "-iters", "1", "-f", "1", "-sc", "false", "-af", "NONE"));
        command.addAll(List.of("-c", "2", "-r", "results"));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(10, TimeUnit.MINUTES);
        if (!ended) {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertThat(ended).as("jcstress did not end: %s", said).isTrue();
        assertThat(process.exitValue()).as("%s", said).isZero();
        assertThat(said).containsPattern("Results: ([1-9][0-9]*) planned; \\1 passed");
        System.out.println(said.substring(said.indexOf("RUN RESULTS")));
    }
}
