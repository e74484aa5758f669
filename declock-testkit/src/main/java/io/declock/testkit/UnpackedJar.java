// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A program that was an executable jar of Spring Boot, unpacked, with an archive of the classes that it loads when it starts. A JVM starts
 * it in a third of the time, which matters to tests that start it often. Immutable.
 *
 * @param jar the unpacked program's own jar
 * @param jvm the JVM's arguments with which the archive was made; a JVM with others may not be able to use it
 */
public record UnpackedJar(Path jar, List<String> jvm) {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    public UnpackedJar {
        jvm = List.copyOf(jvm);
    }

    /**
     * Unpacks a program, and starts it once to find out which classes it loads; it ends as soon as it has started.
     *
     * @param executable the executable jar
     * @param directory where to; its former contents are deleted
     * @param jvm the JVM's arguments with which the program will be started
     * @param arguments the program's arguments for that one start
     * @throws IllegalStateException if the program cannot be unpacked or does not start
     */
    public static UnpackedJar unpack(Path executable, Path directory, List<String> jvm, List<String> arguments)
            throws IOException, InterruptedException {
        if (Files.exists(directory)) {
            Directories.delete(directory);
        }
        run(Commands.java(List.of(
                "-Djarmode=tools", "-jar", executable.toString(), "extract", "--destination", directory.toString())));
        UnpackedJar unpacked = new UnpackedJar(directory.toAbsolutePath().resolve(executable.getFileName()), jvm);
        unpacked.rehearse(arguments);
        return unpacked;
    }

    private void rehearse(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = Commands.java(jvm);
        command.addAll(List.of("-XX:ArchiveClassesAtExit=" + archive(), "-Xlog:disable"));
        Path home = Files.createDirectory(jar.resolveSibling("home-of-the-rehearsal"));
        command.addAll(List.of("-Djava.io.tmpdir=" + home, "-Duser.home=" + home));
        command.addAll(List.of("-Dspring.context.exit=onRefresh", "-jar", jar.toString()));
        command.addAll(arguments);
        run(command);
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        ChildProcess.Finished program = ChildProcess.run(new ProcessBuilder(command), PATIENCE);
        if (program.status() != 0) {
            throw new IllegalStateException(command + " ended with " + program.status() + ":\n" + program.text());
        }
    }

    private Path archive() {
        return Path.of(jar + ".jsa");
    }

    /** Returns the command that starts the program, to which its arguments can be added. */
    public List<String> command(String... jvmArguments) {
        List<String> command = Commands.java(jvm);
        command.add("-XX:SharedArchiveFile=" + archive());
        command.addAll(List.of(jvmArguments));
        command.addAll(List.of("-jar", jar.toString()));
        return command;
    }
}
