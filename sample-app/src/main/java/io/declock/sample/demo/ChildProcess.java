// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process that the demonstration starts and ends. Its output goes to a file. */
final class ChildProcess {
    private static final int LAST_LINES = 40;
    private static final int POLL_MILLIS = 50;

    private static final Pattern RESTORED =
            Pattern.compile("serves again after \\d+ ms: .* (\\d+) holds were restored");
    private static final Pattern SERVES = Pattern.compile("was elected by .* and serves in term (\\d+)");

    private final String name;
    private final Process process;
    private final Path log;

    private ChildProcess(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /**
     * Starts one.
     *
     * @param guard ends it if this process is killed
     */
    static ChildProcess start(
            Guard guard, String name, Path directory, List<String> command, Map<String, String> environment) {
        return start(guard, "KILL", name, directory, command, environment);
    }

    /**
     * Starts one.
     *
     * @param guard ends it with {@code signal} if this process is killed
     */
    static ChildProcess start(
            Guard guard,
            String signal,
            String name,
            Path directory,
            List<String> command,
            Map<String, String> environment) {
        Path log = directory.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            guard.watch(process, signal);
            return new ChildProcess(name, process, log);
        } catch (IOException e) {
            throw new DemoFailedException(
                    "Cannot start " + name + " with " + command.get(0) + ": " + e.getMessage(), e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Waits for the process to write its port to a file. */
    int awaitPort(Path file, Duration timeout) {
        return Integer.parseInt(await(
                "its port",
                timeout,
                () -> Files.exists(file) ? Files.readString(file).trim() : ""));
    }

    /** Waits until the probe returns a text that is not empty. */
    String await(String what, Duration timeout, Probe probe) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            try {
                String text = probe.text();
                if (!text.isEmpty()) {
                    return text;
                }
                if (!process.isAlive()) {
                    throw new DemoFailedException(name + " ended with exit code " + process.exitValue()
                            + " before it was ready:\n" + lastLines());
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new DemoFailedException(name + " took more than " + timeout.toSeconds() + " s to report "
                            + what + ":\n" + lastLines());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            sleepUntilNextLook();
        }
    }

    /** Returns the last term in which it serves, as a candidate of the memory node, 0 for none. */
    long lastTerm() {
        long last = 0;
        Matcher matcher = SERVES.matcher(output());
        while (matcher.find()) {
            last = Math.max(last, Long.parseLong(matcher.group(1)));
        }
        return last;
    }

    /** Waits until it reports, as a memory node, how many holds of its former lives it has restored; empty if it does not do so in time. */
    OptionalInt awaitRestoredHolds(int formerReports, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        List<Integer> reports = restoredHolds();
        while (reports.size() <= formerReports && System.nanoTime() - deadline < 0) {
            sleepUntilNextLook();
            reports = restoredHolds();
        }
        return reports.size() > formerReports ? OptionalInt.of(reports.get(formerReports)) : OptionalInt.empty();
    }

    /** Returns how many holds it restored, as a memory node, after each start so far: the output is that of all its lives. */
    List<Integer> restoredHolds() {
        return RESTORED.matcher(output())
                .results()
                .map(report -> Integer.parseInt(report.group(1)))
                .toList();
    }

    private void sleepUntilNextLook() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailedException("Interrupted while waiting for " + name, e);
        }
    }

    private String output() {
        try {
            return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(its output cannot be read: " + e.getMessage() + ")";
        }
    }

    String lastLines() {
        List<String> lines = output().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }

    String name() {
        return name;
    }

    /** Kills the process at once, as {@code kill -9} does. */
    void kill() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailedException("Interrupted while " + name + " was killed", e);
        }
    }

    /** Stops the process until {@link #resume}. */
    void pause() {
        signal("-STOP");
    }

    void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("kill", signal, Long.toString(pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (kill.waitFor() != 0) {
                throw new DemoFailedException("kill " + signal + " of " + name + " failed");
            }
        } catch (IOException e) {
            throw new DemoFailedException("Cannot run kill: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailedException("Interrupted while " + name + " was signalled", e);
        }
    }

    /** Asks the process to end; does not wait. */
    void askToStop() {
        process.destroy();
    }

    /** Asks the process to end, and kills it if it does not end in time. */
    void stop(Duration patience) {
        process.destroy();
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Finds out something about the process. */
    @FunctionalInterface
    interface Probe {
        /** Returns the result, empty while it is not known. */
        String text() throws IOException;
    }
}
