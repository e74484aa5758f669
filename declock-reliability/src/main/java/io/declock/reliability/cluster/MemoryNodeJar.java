// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.testkit.Directories;
import io.declock.testkit.UnpackedJar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The memory node's program, which another module builds. Thread-safe. */
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

    /**
     * Returns the command that starts the program on this machine, to which its arguments can be added.
     *
     * @param jvmArguments arguments of the JVM besides those of every program
     */
    public static List<String> start(String... jvmArguments) {
        return Unpacked.PROGRAM.command(jvmArguments);
    }

    /** Unpacked once in the life of this JVM, when the first program is started. */
    private static final class Unpacked {
        private static final UnpackedJar PROGRAM = unpack();

        private static UnpackedJar unpack() {
            try {
                Path directory = Files.createTempDirectory("declock-program-");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> Directories.delete(directory)));
                return UnpackedJar.unpack(
                        find(),
                        directory.resolve("memory-node"),
                        LocalProgram.JVM,
                        List.of(
                                "--server.port=0",
                                "--server.address=127.0.0.1",
                                "--declock.memory-node.id=rehearsal",
                                "--declock.memory-node.bind-address=127.0.0.1",
                                "--declock.memory-node.port=0"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while unpacking the memory node's program", e);
            }
        }
    }
}
