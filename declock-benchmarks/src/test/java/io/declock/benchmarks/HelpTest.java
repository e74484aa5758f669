// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Every help can be printed. */
class HelpTest {
    /** picocli formats descriptions, and warns on standard error about those in which a percent sign is not doubled. */
    @Test
    void noDescriptionMakesPicocliWarn() {
        CommandLine all = Benchmarks.commandLine();
        PrintStream usual = System.err;
        ByteArrayOutputStream warnings = new ByteArrayOutputStream();
        System.setErr(new PrintStream(warnings, true, StandardCharsets.UTF_8));
        try {
            assertThat(all.getUsageMessage()).contains("read-mostly", "95 % reads");
            for (Map.Entry<String, CommandLine> command : all.getSubcommands().entrySet()) {
                assertThat(command.getValue().getUsageMessage())
                        .contains("Usage:")
                        .contains(command.getKey());
            }
        } finally {
            System.setErr(usual);
        }
        assertThat(warnings.toString(StandardCharsets.UTF_8)).isEmpty();
    }
}
