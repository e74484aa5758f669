// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The memory node's program, which another module builds. Stateless. */
public final class MemoryNodeJar {
    private MemoryNodeJar() {}

    /** Finds it: where {@code declock.memoryNodeJar} says, or where the build puts it. */
    public static Path find() {
        String configured = System.getProperty("declock.memoryNodeJar");
        if (configured != null) {
            return Path.of(configured).toAbsolutePath();
        }
        for (Path target : List.of(Path.of("../declock-memory-node/target"), Path.of("declock-memory-node/target"))) {
            if (Files.isDirectory(target)) {
                try (Stream<Path> files = Files.list(target)) {
                    List<Path> jars = files.filter(file -> file.toString().endsWith("-exec.jar"))
                            .toList();
                    if (jars.size() == 1) {
                        return jars.get(0).toAbsolutePath().normalize();
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        throw new IllegalStateException(
                "no declock-memory-node-*-exec.jar: build it (mvn package), or set -Ddeclock.memoryNodeJar");
    }
}
