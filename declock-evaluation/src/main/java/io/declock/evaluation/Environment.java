// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation;

import io.declock.evaluation.report.Provenance;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.LocalDate;
import java.util.concurrent.TimeUnit;

/** Finds out where and when a report is made. */
final class Environment {
    private static final String UNKNOWN = "unknown";

    private Environment() {}

    static Provenance provenance(Clock clock) {
        String machine = System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", "
                + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
        return new Provenance(LocalDate.now(clock).toString(), commit(), machine);
    }

    /** Returns the commit of the working directory, which is the code's if the command runs in its repository. */
    private static String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=12")
                    .redirectErrorStream(true)
                    .start();
            String text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor(5, TimeUnit.SECONDS) && git.exitValue() == 0 ? text : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }
}
