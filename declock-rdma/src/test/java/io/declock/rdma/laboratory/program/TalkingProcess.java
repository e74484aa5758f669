// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process that is talked to line by line, over its standard input and output. Thread-safe. */
public final class TalkingProcess implements AutoCloseable {
    private final String name;
    private final Process process;
    private final PrintStream input;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private final List<String> lines = new ArrayList<>();
    private int read;
    private boolean ended;

    /** Listens to a process that was just started; {@code name} is for people. */
    public TalkingProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().name("talk-" + name).start(this::listen);
    }

    private void listen() {
        try (BufferedReader console =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = console.readLine(); line != null; line = console.readLine()) {
                System.out.println(name + ": " + line);
                add(line);
            }
        } catch (IOException e) {
            add("output of " + name + " broke: " + e);
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
    public void say(String line) {
        System.out.println(name + "< " + line);
        input.println(line);
    }

    /**
     * Waits for the first line, of those that no earlier call has passed, in which {@code pattern} is found; lines before it are
     * passed, too.
     *
     * @throws AssertionError if there was none in time, or a line said that a command failed
     */
    public MatchResult await(String pattern, Duration patience) throws InterruptedException {
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

    /** Returns the process id. */
    public long pid() {
        return process.pid();
    }

    /** Ends it at once, as a power failure does. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException(name + " does not die, process " + process.pid());
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
        input.close();
    }
}
