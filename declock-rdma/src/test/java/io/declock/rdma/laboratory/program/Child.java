// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.testkit.ChildProcess;
import io.declock.testkit.Commands;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A {@link Participant} in a process of its own, started as this one was. */
public final class Child {
    /** How a participant says that a command failed. */
    public static final String FAILED = "^@ failed";

    private Child() {}

    /** Starts one that calls itself {@code name}. */
    public static ChildProcess start(String name) throws IOException {
        return start(name, options(), Commands.classPath());
    }

    /**
     * Starts one that calls itself {@code name}, of a former build.
     *
     * @param jars its jars, by the beginnings of the names of the present ones
     */
    public static ChildProcess startFormer(String name, Map<String, Path> jars) throws IOException {
        List<Path> classPath = Commands.classPath().stream()
                .map(entry -> jars.entrySet().stream()
                        .filter(jar -> isMainJar(entry, jar.getKey()))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(entry))
                .toList();
        List<String> options = options();
        // The archive of loaded classes is that of the present class path.
        options.removeIf(option -> option.startsWith("-XX:SharedArchiveFile"));
        return start(name, options, classPath);
    }

    private static boolean isMainJar(Path entry, String name) {
        String file = String.valueOf(entry.getFileName());
        return file.startsWith(name) && !file.endsWith("-tests.jar");
    }

    private static List<String> options() {
        List<String> options =
                new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
        options.removeIf(option -> option.startsWith("-Xmx"));
        options.add("-Xmx192m");
        return options;
    }

    private static ChildProcess start(String name, List<String> options, List<Path> classPath) throws IOException {
        List<String> command = Commands.java(options, classPath, Participant.class.getName(), List.of(name));
        return ChildProcess.echoed(name, new ProcessBuilder(command), FAILED);
    }
}
