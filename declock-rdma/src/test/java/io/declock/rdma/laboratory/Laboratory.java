// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory;

import io.declock.testkit.ChildProcess;
import io.declock.testkit.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The project's command {@code ./lab}, for tests that run on the host and use machines. */
public final class Laboratory {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path SCRIPT = ROOT.resolve("lab");
    private static final Duration DOWNLOAD = Duration.ofMinutes(10);

    private Laboratory() {}

    /**
     * Needs an image of the machines. Where everything is required it is downloaded, otherwise only one that is there already is
     * used: a build does not fetch a kernel unasked.
     *
     * @param test what cannot be run without it
     * @return the image's directory
     */
    public static String image(String test) throws Exception {
        String obstacle = output("obstacle").text();
        Needs.that(obstacle::isEmpty, test, obstacle);
        boolean required = Boolean.parseBoolean(System.getenv("DECLOCK_REQUIRE_ALL"));
        ChildProcess.Finished image = output(required ? "image" : "image-at-hand");
        Needs.that(
                () -> image.status() == 0,
                test,
                "emulated machines with a Soft-RoCE device; prepare them once with ./lab prepare (downloads about 130 MB)");
        return image.text();
    }

    /** Returns {@code ./lab} with these arguments; the caller starts it and ends it. */
    public static ProcessBuilder command(String... arguments) {
        List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(ROOT.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder;
    }

    /** Runs {@code ./lab} with these arguments and returns what it prints on standard output. */
    static ChildProcess.Finished output(String... arguments) throws IOException, InterruptedException {
        ChildProcess.Finished lab =
                ChildProcess.run(command(arguments).redirectError(ProcessBuilder.Redirect.INHERIT), DOWNLOAD);
        return new ChildProcess.Finished(lab.status(), lab.text().strip());
    }

    /** Returns the command that runs a program of these tests inside a machine. */
    static String java(Class<?> program, String... arguments) throws IOException, InterruptedException {
        ChildProcess.Finished command = output("java", program.getName(), String.join(" ", arguments));
        if (command.status() != 0) {
            throw new IllegalStateException("./lab java failed, see above");
        }
        return command.text();
    }
}
