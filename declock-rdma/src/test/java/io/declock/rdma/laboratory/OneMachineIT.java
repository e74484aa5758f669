// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.rdma.laboratory.program.Unplugged;
import io.declock.testkit.ChildProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the other integration tests of this module on real verbs, inside a machine with a Soft-RoCE device. */
class OneMachineIT {
    private static final String SECONDS_PROPERTY = "declock.laboratory.seconds";
    /** How long the machine with all tests may take, and each other at most. */
    private static final int SECONDS = Integer.getInteger(SECONDS_PROPERTY, 900);

    private static final String MORE_TIME = "; if its deadline of " + SECONDS + " s has ended it, give it more with -D"
            + SECONDS_PROPERTY + "=" + 2 * SECONDS;
    private static final Path REPORT = Path.of("target/failsafe-reports/TEST-rdma-laboratory.xml");

    private String output = "";

    @Test
    void theModulesIntegrationTestsPassOnRealVerbs() throws Exception {
        Laboratory.image("the RDMA module on real verbs");

        int status = laboratory("--no-build", "--seconds=" + SECONDS, "test");

        assertThat(status)
                .as("exit code of ./lab test, whose output is above" + MORE_TIME)
                .isZero();
        assertThat(numberOf("tests")).isGreaterThanOrEqualTo(2);
        assertThat(numberOf("failures")).isZero();
        assertThat(numberOf("errors")).isZero();
    }

    @Test
    void aDeviceThatIsTakenAwayUnderLoadIsAClearErrorAndEndsNoProcess() throws Exception {
        Laboratory.image("the removal of an RDMA device");

        assertThat(laboratory("--seconds=" + SECONDS, "run", Laboratory.java(Unplugged.class)))
                .as("exit code of the program whose output is above" + MORE_TIME)
                .isZero();
    }

    /** Nothing that ends too early may pass for a success. */
    @Test
    void aMachineThatEndsBeforeItsCommandIsAFailure() throws Exception {
        Laboratory.image("the failure of a laboratory machine");

        assertThat(laboratory("--seconds=60", "run", "echo b > /proc/sysrq-trigger; sleep 60"))
                .isEqualTo(70);
        assertThat(output).contains("before its deadline").doesNotContain("--seconds=");
    }

    /** A machine ends by itself at its deadline. */
    @Test
    void aCommandThatTakesTooLongIsAFailure() throws Exception {
        Laboratory.image("the deadline of a laboratory machine");

        assertThat(laboratory("--seconds=20", "run", "sleep 300")).isEqualTo(70);
        assertThat(output).contains("was ended by its deadline of 20 s", "./lab --seconds=40 run");
    }

    private int laboratory(String... arguments) throws Exception {
        // The command has deadlines of its own and keeps them; this one is for a hanging emulator.
        ChildProcess.Finished lab = ChildProcess.run(Laboratory.command(arguments), Duration.ofSeconds(SECONDS + 60));
        output = lab.text();
        System.out.println(output);
        return lab.status();
    }

    private static int numberOf(String attribute) throws Exception {
        Matcher matcher = Pattern.compile("<testsuite [^>]*\\b" + attribute + "=\"(\\d+)\"")
                .matcher(Files.readString(REPORT, StandardCharsets.UTF_8));
        assertThat(matcher.find()).as("%s in %s", attribute, REPORT).isTrue();
        return Integer.parseInt(matcher.group(1));
    }
}
