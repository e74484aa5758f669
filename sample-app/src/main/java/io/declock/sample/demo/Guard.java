// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Ends the demonstration's processes and deletes its files when the demonstration itself is killed and cannot do so: a shell that learns
 * both over a pipe, and acts when the pipe ends. Thread-safe.
 */
final class Guard implements AutoCloseable {
    /**
     * The latest line of each kind counts. A terminal's Ctrl-C reaches the shell as well, so the shell ignores it. Signals are sent at
     * once, to processes that the demonstration had not seen ending when it was killed, so that no signal hits an unrelated process.
     */
    private static final String SCRIPT = """
            trap '' INT TERM HUP
            set -f
            processes=
            while IFS= read -r line; do
              case $line in
                processes*) processes=${line#processes} ;;
                directory*) set -- "$@" "${line#directory }" ;;
              esac
            done
            for each in $processes; do
              kill -s "${each#*:}" "${each%:*}"
              kill -s CONT "${each%:*}"
            done
            [ -z "$processes" ] || sleep 1
            for each; do
              rm -rf "$each"
            done
            """;

    private final Process shell;
    private final PrintStream told;
    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final Map<Long, String> processes = new LinkedHashMap<>();

    @GuardedBy("mutex")
    private final Set<Path> directories = new LinkedHashSet<>();

    private Guard(Process shell) {
        this.shell = shell;
        this.told = new PrintStream(shell.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Starts a guard without processes and directories. */
    static Guard start() {
        try {
            return new Guard(new ProcessBuilder("sh", "-c", SCRIPT, "declock-demo-guard")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new DemoFailedException("Cannot run sh: " + e.getMessage(), e);
        }
    }

    /** Guards a process until it ends; {@code signal} is the signal that ends it at once. */
    void watch(Process process, String signal) {
        tell(process.pid(), signal);
        process.onExit().thenRun(() -> tell(process.pid(), null));
    }

    /** Guards a directory. */
    void watch(Path directory) {
        mutex.lock();
        try {
            if (directories.add(directory)) {
                told.println("directory " + directory);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Notes the signal that ends a process, null for a process that has ended, and tells all of them to the guard. */
    private void tell(long process, @Nullable String signal) {
        mutex.lock();
        try {
            if (signal == null) {
                processes.remove(process);
            } else {
                processes.put(process, signal);
            }
            told.println("processes"
                    + processes.entrySet().stream()
                            .map(each -> " " + each.getKey() + ":" + each.getValue())
                            .collect(Collectors.joining()));
        } finally {
            mutex.unlock();
        }
    }

    /** Ends the guard, and with it the processes that still run. */
    @Override
    public void close() {
        told.close();
        try {
            shell.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
