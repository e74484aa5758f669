// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.reliability.worker.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Tells a worker what to do, and remembers what it answered. Thread-safe. */
public final class WorkerClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String name;
    private final Program program;
    private final PrintWriter commands;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition answered = mutex.newCondition();
    private final List<String> answers = new ArrayList<>();

    /** Makes one for a program that runs. */
    public WorkerClient(String name, Program program) {
        this.name = name;
        this.program = program;
        this.commands = new PrintWriter(new OutputStreamWriter(program.commands(), StandardCharsets.UTF_8), true);
        Thread thread = new Thread(this::listen, "answers-of-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void listen() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(program.answers(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith(Worker.MARK)) {
                    heard(line.substring(Worker.MARK.length()));
                }
            }
        } catch (IOException e) {
            // It was killed.
        }
    }

    private void heard(String answer) {
        mutex.lock();
        try {
            answers.add(answer);
            answered.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    /** Returns what it is called. */
    public String name() {
        return name;
    }

    /** Returns the program, to do it harm. */
    public Program program() {
        return program;
    }

    /** Gives a command. */
    public void tell(String command) {
        commands.println(command);
    }

    /** Waits for an answer that begins with the words given and returns all of its words. */
    public String[] await(String beginning) {
        return await(beginning, PATIENCE);
    }

    /** As {@link #await(String)}, with another bound. */
    public String[] await(String beginning, Duration patience) {
        String[] words = poll(beginning, patience);
        if (words == null) {
            throw new IllegalStateException(
                    name + " did not say '" + beginning + "' within " + patience.toMillis() + " ms, but " + answers());
        }
        return words;
    }

    /** Waits, and returns null if there was no such answer. Answers are used up. */
    public String @Nullable [] poll(String beginning, Duration patience) {
        long left = patience.toNanos();
        mutex.lock();
        try {
            while (true) {
                for (int i = 0; i < answers.size(); i++) {
                    if ((answers.get(i) + " ").startsWith(beginning + " ")) {
                        return answers.remove(i).split(" ", -1);
                    }
                }
                if (left <= 0) {
                    return null;
                }
                left = answered.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } finally {
            mutex.unlock();
        }
    }

    /** Returns what it said that nobody has waited for yet. */
    public List<String> answers() {
        mutex.lock();
        try {
            return List.copyOf(answers);
        } finally {
            mutex.unlock();
        }
    }

    /** Starts to take a lock. */
    public void hold(String id, int lock, boolean exclusive) {
        tell("hold " + id + " " + lock + " " + (exclusive ? "write" : "read") + " " + TimeUnit.SECONDS.toMillis(60));
    }

    /** Starts to try to take a lock, again and again. */
    public void tryHold(String id, int lock, boolean exclusive) {
        tell("try " + id + " " + lock + " " + (exclusive ? "write" : "read") + " " + TimeUnit.SECONDS.toMillis(60));
    }

    /** Waits until it was granted. */
    public Grant granted(String id, Duration patience) {
        String[] words = await("granted " + id, patience);
        return new Grant(Long.parseLong(words[2]), Long.parseLong(words[3]));
    }

    /** Takes a lock and waits until it was granted. */
    public Grant take(String id, int lock, boolean exclusive) {
        hold(id, lock, exclusive);
        return granted(id, PATIENCE);
    }

    /** Gives a lock back and returns what was said: {@code released} or {@code released-lost}. */
    public String release(String id) {
        tell("release " + id);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            for (String word : List.of("released", "released-lost")) {
                if (poll(word + " " + id, Duration.ofMillis(5)) != null) {
                    return word;
                }
            }
        }
        throw new IllegalStateException(name + " did not release " + id + ", but said " + answers());
    }

    /** Asks for its figures. */
    public Map<String, Long> stats() {
        tell("stats");
        Map<String, Long> values = new HashMap<>();
        for (String word : await("stats")) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                values.put(word.substring(0, equals), Long.parseLong(word.substring(equals + 1)));
            }
        }
        return values;
    }

    /** Starts a load. */
    public void load(int firstLock, int locks, int threads, int readPercent) {
        tell("load " + firstLock + " " + locks + " " + threads + " " + readPercent);
    }

    /** Lets it leave in good order and waits until its process has ended. */
    public void leave() {
        tell("leave");
        await("left");
        program.terminate();
    }

    @Override
    public void close() {
        program.close();
    }

    /** A lock that was granted: its token, and when. */
    public record Grant(long token, long atNanos) {}
}
