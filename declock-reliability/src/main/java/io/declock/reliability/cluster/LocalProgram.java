// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.testkit.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A program that runs as a process on this machine.
 *
 * @param process the process
 */
public record LocalProgram(ChildProcess process) implements Program {
    /** Arguments of every JVM, for a quick start and little memory. */
    static final List<String> JVM = List.of(
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            // Standard output carries the answers.
            "-XX:+DisplayVMOutputToStderr",
            "--enable-native-access=ALL-UNNAMED");

    /**
     * Starts one; its output other than answers goes to {@code name.log} in {@code directory}.
     *
     * @param answers whether the caller reads its standard output; otherwise that goes to the log, too
     */
    static LocalProgram start(String name, Path directory, boolean answers, List<String> command) {
        return start(name, directory, answers, command, Map.of());
    }

    /**
     * As above.
     *
     * @param environment environment variables that it has besides those of this process
     */
    static LocalProgram start(
            String name, Path directory, boolean answers, List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().putAll(environment);
        Path log = directory.resolve(name + ".log");
        try {
            return new LocalProgram(
                    answers ? ChildProcess.piped(name, builder, log) : ChildProcess.logged(name, builder, log));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public OutputStream commands() {
        return process.input();
    }

    @Override
    public InputStream answers() {
        return process.output();
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void terminate() {
        process.terminate();
    }

    @Override
    public void pause() {
        process.pause();
    }

    @Override
    public void resume() {
        process.resume();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public String log() {
        return process.log();
    }

    @Override
    public void close() {
        process.close();
    }
}
