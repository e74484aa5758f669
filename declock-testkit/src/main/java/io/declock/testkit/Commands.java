// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Programs of this machine, and command lines of the JDK that runs this one. */
public final class Commands {
    private Commands() {}

    /** Returns a program of the JDK, such as {@code keytool}. */
    public static String program(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /** Returns whether a program is on the path or where Debian puts servers. */
    public static boolean onPath(String name) {
        return find(name).isPresent();
    }

    /** Returns where a program is that is on the path or where Debian puts servers. */
    public static Optional<Path> find(String name) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.concat(Arrays.stream(path.split(File.pathSeparator, -1)), Stream.of("/usr/sbin", "/usr/bin"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Returns a command that runs a JVM with these arguments. */
    public static List<String> java(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(program("java")));
        command.addAll(arguments);
        return command;
    }

    /** Returns a command that runs a class of this program's class path. */
    public static List<String> java(List<String> jvmArguments, String mainClass, List<String> arguments) {
        return java(jvmArguments, classPath(), mainClass, arguments);
    }

    /** Returns a command that runs a class of a class path. */
    public static List<String> java(
            List<String> jvmArguments, List<Path> classPath, String mainClass, List<String> arguments) {
        List<String> command = java(jvmArguments);
        String entries = classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        command.addAll(List.of("-cp", entries, mainClass));
        command.addAll(arguments);
        return command;
    }

    /** Returns this program's class path, for a process with another working directory. */
    public static List<Path> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath())
                .toList();
    }
}
