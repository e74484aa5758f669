// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.testkit.ChildProcess;
import io.declock.testkit.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The processes of a run. */
public final class Processes {
    private Processes() {}

    /**
     * Starts a process.
     *
     * @param name its name in messages; also the name of its log of standard error
     * @param folder its working directory, which also gets its log
     */
    static ChildProcess start(String name, Path folder, List<String> command) throws IOException {
        return ChildProcess.heard(
                name, new ProcessBuilder(command).directory(folder.toFile()), folder.resolve(name + ".log"));
    }

    /**
     * Starts a JVM on this JVM's class path that runs a command of the benchmarks.
     *
     * @param jvmArguments arguments before the class name
     * @param arguments the command and its arguments
     */
    public static ChildProcess startJava(String name, Path folder, List<String> jvmArguments, List<String> arguments)
            throws IOException {
        return start(name, folder, Commands.java(jvmArguments, "io.declock.benchmarks.Benchmarks", arguments));
    }

    /**
     * Starts a JVM as {@link #startJava} does, with the lowest priority: the processes that are measured get the processor first, as if this
     * one ran on another machine.
     */
    public static ChildProcess startJavaBehind(
            String name, Path folder, List<String> jvmArguments, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("nice", "-n", "19"));
        command.addAll(Commands.java(jvmArguments, "io.declock.benchmarks.Benchmarks", arguments));
        return start(name, folder, command);
    }
}
