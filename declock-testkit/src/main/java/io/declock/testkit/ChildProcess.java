// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A process that a test or a measurement has started. Its lines of standard output can be waited for. Processes that are still alive when
 * this JVM ends are killed. No other process is killed. Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
    private static final Set<ChildProcess> ALIVE = ConcurrentHashMap.newKeySet();
    private static final int TAIL = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLITENESS = Duration.ofSeconds(3);
    private static final int POLL_MILLIS = 50;
    /** A pattern that no line matches. */
    private static final String NOTHING = "(?!)";

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ALIVE.forEach(ChildProcess::destroy), "reaper"));
    }

    private final String name;
    private final Process process;
    private final @Nullable Path log;
    private final HeardLines lines;

    private ChildProcess(String name, ProcessBuilder builder, @Nullable Path log, HeardLines lines) throws IOException {
        this.name = name;
        this.process = builder.start();
        this.log = log;
        this.lines = lines;
        ALIVE.add(this);
    }

    /** Starts a process whose output is appended to a file. */
    public static ChildProcess logged(String name, ProcessBuilder builder, Path log) throws IOException {
        builder.redirectErrorStream(true).redirectOutput(Redirect.appendTo(log.toFile()));
        return new ChildProcess(name, builder, log, new HeardLines(name, false, NOTHING));
    }

    /** Starts a process whose standard output is for {@link #output()}; standard error is appended to a file. */
    public static ChildProcess piped(String name, ProcessBuilder builder, Path log) throws IOException {
        builder.redirectError(Redirect.appendTo(log.toFile()));
        return new ChildProcess(name, builder, log, new HeardLines(name, false, NOTHING));
    }

    /** Starts a process whose standard output is for {@link #await}; standard error is appended to a file. */
    public static ChildProcess heard(String name, ProcessBuilder builder, Path log) throws IOException {
        ChildProcess child = piped(name, builder, log);
        child.lines.listen(child.output());
        return child;
    }

    /**
     * Starts a process whose standard output and error are for {@link #await}, and are printed here, too.
     *
     * @param failure a pattern; a line in which it is found ends the waiting for another one
     */
    public static ChildProcess echoed(String name, ProcessBuilder builder, String failure) throws IOException {
        HeardLines lines = new HeardLines(name, true, failure);
        ChildProcess child = new ChildProcess(name, builder.redirectErrorStream(true), null, lines);
        child.lines.listen(child.output());
        return child;
    }

    /**
     * Runs a program to its end.
     *
     * @param builder where standard error is not redirected it becomes part of the output
     * @throws IllegalStateException if it did not end in time; it was killed then
     */
    public static Finished run(ProcessBuilder builder, Duration timeout) throws IOException, InterruptedException {
        Path output = Files.createTempFile("declock-output-", ".txt");
        if (builder.redirectError() == Redirect.PIPE) {
            builder.redirectErrorStream(true);
        }
        builder.redirectOutput(output.toFile());
        String name = builder.command().get(0);
        try (ChildProcess child = new ChildProcess(name, builder, output, new HeardLines(name, false, NOTHING))) {
            child.process.getOutputStream().close();
            if (!child.awaitEnd(timeout)) {
                throw new IllegalStateException(
                        builder.command() + " did not end within " + timeout.toSeconds() + " s:\n" + child.log());
            }
            return new Finished(child.process.exitValue(), child.log());
        } finally {
            Files.delete(output);
        }
    }

    /** Writes a line to its standard input. */
    public void tell(String line) {
        try {
            OutputStream in = process.getOutputStream();
            in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(name + " was not told '" + line + "'" + tail(), e);
        }
    }

    /**
     * Waits for the next line in which the pattern is found, and passes those before it.
     *
     * @throws IllegalStateException if the process ended first, or took too long; the message contains the end of its output
     */
    public MatchResult await(String pattern, Duration timeout) throws InterruptedException {
        try {
            return lines.await(pattern, timeout);
        } catch (IllegalStateException e) {
            throw new IllegalStateException(e.getMessage() + tail(), e);
        }
    }

    /** Waits until it accepts connections on a port. */
    public void awaitPort(int port, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!Ports.accepts(port)) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(name + " does not accept connections on port " + port + tail());
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** Returns its process id. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether it has not ended. A stopped process has not. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns its exit code. */
    public int exitValue() {
        return process.exitValue();
    }

    /** Returns the processes that it has started, and those that they have started. */
    public Stream<ProcessHandle> descendants() {
        return process.descendants();
    }

    /** Returns the CPU time it has used, user and system, of all its threads. */
    public Duration cpuTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Returns the stream to its standard input. */
    public OutputStream input() {
        return process.getOutputStream();
    }

    /** Returns the stream of its standard output, of a process that was started {@link #piped}. */
    public InputStream output() {
        return process.getInputStream();
    }

    /** Returns what was written to its log. */
    public String log() {
        try {
            return log == null ? "" : new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(cannot be read: " + e + ")";
        }
    }

    private String tail() {
        List<String> all = new ArrayList<>(log().lines().toList());
        all.addAll(lines.all());
        return all.isEmpty() ? "" : ":\n" + String.join("\n", all.subList(Math.max(0, all.size() - TAIL), all.size()));
    }

    /** Stops it until {@link #resume}. */
    public void pause() {
        signal("STOP");
    }

    /** Lets it continue. */
    public void resume() {
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                    .inheritIO()
                    .start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + signal + " of " + name + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for its end. Returns false if it did not end in time. */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        boolean ended = process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (ended) {
            ALIVE.remove(this);
        }
        return ended;
    }

    /** Asks it to end, with the end of its input and SIGTERM, and kills it if it does not. */
    public void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has already ended.
        }
        process.destroy();
        try {
            awaitEnd(POLITENESS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
    }

    /** Asks it to end with SIGTERM, and waits for that. */
    public void terminate() {
        process.destroy();
        requireEnd();
    }

    /** Kills it and its descendants at once, as a power failure does. Returns when it has ended. */
    public void kill() {
        destroy();
        requireEnd();
    }

    private void destroy() {
        // The id of a process that has ended may be another's by now, with descendants of its own.
        List<ProcessHandle> descendants =
                process.isAlive() ? process.descendants().toList() : List.of();
        process.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
    }

    private void requireEnd() {
        try {
            if (!awaitEnd(PATIENCE)) {
                throw new IllegalStateException(
                        name + ", process " + pid() + ", did not end within " + PATIENCE.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills it if it still runs. */
    @Override
    public void close() {
        kill();
    }

    /**
     * A program that has ended.
     *
     * @param status its exit code
     * @param text its output
     */
    public record Finished(int status, String text) {}
}
