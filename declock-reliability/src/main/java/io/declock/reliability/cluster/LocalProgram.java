// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that runs as a process on this machine. */
public final class LocalProgram implements Program {
    private static final int PATIENCE_SECONDS = 20;

    /** For a quick start and little memory. */
    private static final List<String> JVM = List.of(
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            // Standard output carries the answers.
            "-XX:+DisplayVMOutputToStderr",
            "--enable-native-access=ALL-UNNAMED");

    private final String name;
    private final Process process;
    private final Path log;

    private LocalProgram(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /**
     * Starts a JVM; its output other than answers goes to {@code name.log} in {@code directory}.
     *
     * @param answers whether the caller reads its standard output; otherwise that goes to the log, too
     */
    public static LocalProgram java(String name, Path directory, boolean answers, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM);
        command.addAll(arguments);
        Path log = directory.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        if (!answers) {
            builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        }
        try {
            return new LocalProgram(name, builder.start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public OutputStream commands() {
        return process.getOutputStream();
    }

    @Override
    public InputStream answers() {
        return process.getInputStream();
    }

    @Override
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    @Override
    public void terminate() {
        process.destroy();
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(name + " did not end within " + PATIENCE_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void pause() {
        signal("-STOP");
    }

    @Override
    public void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                    .inheritIO()
                    .start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill " + signal + " of " + name + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return "(cannot be read: " + e + ")";
        }
    }

    @Override
    public void close() {
        kill();
    }
}
