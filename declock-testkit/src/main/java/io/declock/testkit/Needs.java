// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Requirements of a test on the machine. A test whose requirement is not met is aborted, and the end of the build names it. It fails
 * instead if {@code DECLOCK_REQUIRE_ALL} is {@code true}, so that no test is skipped in silence. A requirement that not every build
 * machine can meet is an {@link #option}, which is named and never makes a test fail.
 */
public final class Needs {
    private Needs() {}

    /**
     * Needs something.
     *
     * @param available whether it is there
     * @param test what cannot be run without it
     * @param what what is missing, and how to get it
     */
    public static void that(BooleanSupplier available, String test, String what) {
        if (available.getAsBoolean()) {
            return;
        }
        String message = test + " was not run: it needs " + what;
        if (Boolean.parseBoolean(System.getenv("DECLOCK_REQUIRE_ALL"))) {
            Assertions.fail(message);
        }
        record(message);
        Assumptions.abort(message);
    }

    /**
     * Needs something that is an option of the project's users and can be fetched from nowhere: where it is missing, the test is
     * aborted and named at the end of the build, and does not fail even where everything is required.
     *
     * @param available whether it is there
     * @param test what cannot be run without it
     * @param what what is missing, and how to get it
     */
    public static void option(BooleanSupplier available, String test, String what) {
        if (!available.getAsBoolean()) {
            String message = test + " was not run: it needs " + what;
            record(message);
            Assumptions.abort(message);
        }
    }

    /** Needs a program on the path. */
    public static void program(String name, String test, String debianPackage) {
        that(
                () -> Commands.onPath(name),
                test,
                "the program " + name + " (Debian: apt-get install " + debianPackage + ")");
    }

    private static void record(String message) {
        String file = System.getProperty("declock.notRun");
        if (file == null) {
            return;
        }
        try {
            Path path = Path.of(file);
            Path directory = path.getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            Files.writeString(
                    path,
                    message + System.lineSeparator(),
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
