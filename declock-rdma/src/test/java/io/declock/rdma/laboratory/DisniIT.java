// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.testkit.ChildProcess;
import io.declock.testkit.Needs;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The contracts of fabric and lock with compute nodes on DiSNI's native library, where a user has built one. No registry has it, so
 * no build machine is required to.
 */
class DisniIT {
    private static final int SECONDS = 400;
    private static final List<String> USUAL = List.of("/usr/local/lib", "/usr/lib", "/usr/lib64", "/opt/disni/lib");

    private static Optional<String> directory() {
        String named = System.getenv().getOrDefault("LD_LIBRARY_PATH", "");
        return Stream.concat(Arrays.stream(named.split(File.pathSeparator, -1)), USUAL.stream())
                .filter(each -> !each.isEmpty() && Files.isReadable(Path.of(each, "libdisni.so")))
                .findFirst();
    }

    @Test
    void theContractsHoldOnDisnisNativeLibrary() throws Exception {
        Optional<String> disni = directory();
        Needs.option(
                disni::isPresent,
                "declock.rdma.provider=disni",
                "libdisni.so in LD_LIBRARY_PATH or in one of " + USUAL
                        + "; it is built from DiSNI's sources, see docs/rdma.md");
        Laboratory.image("declock.rdma.provider=disni");

        ProcessBuilder laboratory = Laboratory.command("--no-build", "--seconds=" + SECONDS, "test", ".*Disni.*IT");
        laboratory.environment().put("DECLOCK_LAB_DISNI", disni.orElseThrow());
        // The command has deadlines of its own and keeps them; this one is for a hanging emulator.
        ChildProcess.Finished lab = ChildProcess.run(laboratory, Duration.ofSeconds(SECONDS + 60));
        assertThat(lab.status()).as("exit code of ./lab test: %s", lab.text()).isZero();
    }
}
