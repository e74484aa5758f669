// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.rdma.laboratory.Laboratory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration with locks over real verbs, inside a laboratory machine. */
class RdmaDemoIT {
    private static final int SECONDS = 560;

    @TempDir
    Path temporary;

    @Test
    void twoInstancesSellNothingTwiceOverRdma() throws Exception {
        Laboratory.image("the sample application over RDMA");
        Path output = temporary.resolve("output.txt");
        Process process = Laboratory.command(
                        "--seconds=" + SECONDS,
                        "run",
                        "JAVA_HOME=" + System.getProperty("java.home"),
                        "./demo --no-build --rdma=$LAB_ADDRESS --instances=2 --products=2 --stock=60",
                        "--concurrency=6 --orders=200 --seconds=40")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            process.getOutputStream().close();
            assertThat(process.waitFor(SECONDS + 60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        System.out.println(text);

        assertThat(process.exitValue()).as("exit code of the demonstration").isZero();
        assertThat(text).contains("locks over RDMA").contains("NOTHING WAS OVERSOLD");
        assertThat(text).contains("0 orders refused for an old token, 0 orders shared a token");
    }
}
