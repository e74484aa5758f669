// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process that a run has started: its lines of standard output, its CPU time, its end. Processes that are still alive when this JVM ends
 * are killed; no other process ever is. Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
    private static final Set<ChildProcess> ALIVE = ConcurrentHashMap.newKeySet();
    private static final int LOG_TAIL = 40;
    private static final String END = "\u0000end";

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> ALIVE.forEach(child -> child.process.destroyForcibly()), "reaper"));
    }

    private final String what;
    private final Process process;
    private final Path log;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private ChildProcess(String what, Process process, Path log) {
        this.what = what;
        this.process = process;
        this.log = log;
    }

    /**
     * Starts a process.
     *
     * @param what its name in messages; also the name of its log of standard error
     * @param folder its working directory, which also gets its log
     */
    public static ChildProcess start(String what, Path folder, List<String> command) throws IOException {
        Path log = folder.resolve(what + ".log");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        ChildProcess child = new ChildProcess(what, process, log);
        ALIVE.add(child);
        Thread reader = new Thread(child::read, what + "-output");
        reader.setDaemon(true);
        reader.start();
        return child;
    }

    /**
     * Starts a JVM on this JVM's class path that runs a command of the benchmarks.
     *
     * @param jvmArguments arguments before the class name
     * @param arguments the command and its arguments
     */
    public static ChildProcess startJava(String what, Path folder, List<String> jvmArguments, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(jvmArguments);
        command.add("-cp");
        command.add(classPath());
        command.add("io.declock.benchmarks.Benchmarks");
        command.addAll(arguments);
        return start(what, folder, command);
    }

    private static String classPath() {
        StringBuilder absolute = new StringBuilder();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            absolute.append(absolute.length() == 0 ? "" : File.pathSeparator).append(new File(entry).getAbsolutePath());
        }
        return absolute.toString();
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            // The process has ended.
        }
        lines.add(END);
    }

    /** Writes a line to its standard input. */
    public void tell(String line) throws IOException {
        OutputStream in = process.getOutputStream();
        in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    /**
     * Waits for the next line of its standard output that begins like this, and skips others.
     *
     * @return the line without that beginning
     * @throws IOException if the process ended first or took too long; the message contains the end of its log
     */
    public String await(String beginning, Duration timeout) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            String line = lines.poll(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new IOException(
                        what + " did not print '" + beginning + "' within " + timeout.toSeconds() + " s" + logTail());
            }
            if (line.equals(END)) {
                lines.add(END);
                throw new IOException(what + " ended before it printed '" + beginning + "'" + logTail());
            }
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length()).trim();
            }
        }
    }

    /** Waits until it accepts connections on a port. */
    void awaitPort(int port, Duration timeout) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!Ports.accepts(port)) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IOException(what + " does not accept connections on port " + port + logTail());
            }
            Thread.sleep(50);
        }
    }

    private String logTail() {
        try {
            List<String> all = Files.readAllLines(log, StandardCharsets.UTF_8);
            return all.isEmpty()
                    ? ""
                    : ":\n" + String.join("\n", all.subList(Math.max(0, all.size() - LOG_TAIL), all.size()));
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns the CPU time it has used, user and system, of all its threads. */
    public Duration cpuTime() {
        return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Returns a number of kB from its {@code /proc} status, or -1. */
    public long statusKb(String key) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
                if (line.startsWith(key + ":")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
        } catch (IOException e) {
            return -1;
        }
        return -1;
    }

    /** Returns its name in messages. */
    public String what() {
        return what;
    }

    /** Waits for its end. Returns false if it did not end in time. */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        return process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends it: asks it to end first, then kills it. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has already ended.
        }
        process.destroy();
        try {
            if (!process.waitFor(3, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        ALIVE.remove(this);
    }
}
