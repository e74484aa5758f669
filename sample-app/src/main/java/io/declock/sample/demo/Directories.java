// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Deletes directories. */
final class Directories {
    private Directories() {}

    /** Deletes a directory with its contents; prints a message if that fails. */
    static void delete(Path directory) {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("Some files in " + directory + " could not be deleted: " + e.getMessage());
        }
    }
}
