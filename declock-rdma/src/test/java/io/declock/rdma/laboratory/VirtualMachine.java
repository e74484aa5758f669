// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One emulated machine that is talked to over its console. Killing it is what the death of a node is: nothing is sent, nothing is
 * closed. Thread-safe.
 */
final class VirtualMachine implements AutoCloseable {
    private final String name;
    private final Process emulator;
    private final PrintStream input;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private final List<String> lines = new ArrayList<>();
    private int read;
    private boolean ended;

    private VirtualMachine(String name, Process emulator) {
        this.name = name;
        this.emulator = emulator;
        this.input = new PrintStream(emulator.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().name("console-" + name).start(this::listen);
    }

    /**
     * Boots.
     *
     * @param directory gets what the machine writes into {@code /lab/results}
     * @param command what it runs
     * @param settings {@code key=value}, as {@code ./lab describe} takes them
     */
    static VirtualMachine boot(String name, Path directory, String command, List<String> settings)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("command"), command + "\n", StandardCharsets.UTF_8);
        List<String> describe = new ArrayList<>(List.of("describe", directory.toString(), "node=" + name));
        describe.addAll(settings);
        Laboratory.output(describe.toArray(String[]::new));
        Process emulator = Laboratory.command("boot", directory.toString())
                .redirectErrorStream(true)
                .start();
        return new VirtualMachine(name, emulator);
    }

    private void listen() {
        try (BufferedReader console =
                new BufferedReader(new InputStreamReader(emulator.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = console.readLine(); line != null; line = console.readLine()) {
                System.out.println(name + ": " + line);
                add(line);
            }
        } catch (IOException e) {
            add("console of " + name + " broke: " + e);
        }
        lock.lock();
        try {
            ended = true;
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void add(String line) {
        lock.lock();
        try {
            lines.add(line);
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Types a line. */
    void say(String line) {
        System.out.println(name + "< " + line);
        input.println(line);
    }

    /**
     * Waits for the first line, of those that no earlier call has passed, in which {@code pattern} is found; lines before it are
     * passed, too.
     *
     * @throws AssertionError if there was none in time, or a line said that a command failed
     */
    MatchResult await(String pattern, Duration patience) throws InterruptedException {
        Pattern wanted = Pattern.compile(pattern);
        long nanos = patience.toNanos();
        lock.lock();
        try {
            while (true) {
                while (read < lines.size()) {
                    String line = lines.get(read++);
                    Matcher matcher = wanted.matcher(line);
                    if (matcher.find()) {
                        return matcher.toMatchResult();
                    }
                    if (line.startsWith("@ failed")) {
                        throw new AssertionError(name + ": " + line);
                    }
                }
                if (ended || nanos <= 0) {
                    throw new AssertionError(name
                            + (ended ? " ended" : " did not say in " + patience.toSeconds() + " s") + ": " + pattern
                            + "; it said " + lines.subList(Math.max(0, lines.size() - 20), lines.size()));
                }
                nanos = more.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the machine at once, as a power failure does. */
    void kill() throws InterruptedException {
        emulator.destroyForcibly();
        if (!emulator.waitFor(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException(name + " does not die, process " + emulator.pid());
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
        input.close();
    }
}
