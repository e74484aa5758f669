// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The lines of a process's output, as they come. Thread-safe. */
final class HeardLines {
    private final String name;
    private final boolean echo;
    private final Pattern failure;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition more = mutex.newCondition();
    private final List<String> lines = new ArrayList<>();
    private int passed;
    private boolean ended;

    /**
     * Makes an empty list.
     *
     * @param echo whether each line is printed here, too
     * @param failure a pattern; a line in which it is found ends the waiting for another one
     */
    HeardLines(String name, boolean echo, String failure) {
        this.name = name;
        this.echo = echo;
        this.failure = Pattern.compile(failure);
    }

    /** Reads the output to its end, on a thread of its own. */
    void listen(InputStream output) {
        Thread reader = new Thread(() -> read(output), "output-of-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream output) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (echo) {
                    System.out.println(name + ": " + line);
                }
                heard(List.of(line), false);
            }
        } catch (IOException e) {
            // The process was killed.
        }
        heard(List.of(), true);
    }

    private void heard(List<String> added, boolean last) {
        mutex.lock();
        try {
            lines.addAll(added);
            ended = last;
            more.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    /** Returns all lines so far. */
    List<String> all() {
        mutex.lock();
        try {
            return List.copyOf(lines);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Waits for the next line in which the pattern is found, and passes those before it.
     *
     * @throws IllegalStateException if there was none until the end or in time, or the failure was found before
     */
    MatchResult await(String pattern, Duration timeout) throws InterruptedException {
        Pattern wanted = Pattern.compile(pattern);
        long nanos = timeout.toNanos();
        mutex.lock();
        try {
            while (true) {
                while (passed < lines.size()) {
                    String line = lines.get(passed++);
                    Matcher matcher = wanted.matcher(line);
                    if (matcher.find()) {
                        return matcher.toMatchResult();
                    }
                    if (failure.matcher(line).find()) {
                        throw new IllegalStateException(name + ": " + line);
                    }
                }
                if (ended) {
                    throw new IllegalStateException(name + " ended before it said '" + pattern + "'");
                }
                if (nanos <= 0) {
                    throw new IllegalStateException(
                            name + " did not say '" + pattern + "' within " + timeout.toSeconds() + " s");
                }
                nanos = more.awaitNanos(nanos);
            }
        } finally {
            mutex.unlock();
        }
    }
}
