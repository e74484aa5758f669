// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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

/** Sends commands to a worker, and keeps its answers. Thread-safe. */
public final class WorkerClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String name;
    private final Program program;
    private final PrintWriter commands;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition answered = mutex.newCondition();

    @GuardedBy("mutex")
    private final List<String> answers = new ArrayList<>();

    /** Makes one for a running program. */
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
            // The worker was killed.
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

    /** Returns the worker's name. */
    public String name() {
        return name;
    }

    /** Returns the program, for injecting faults. */
    public Program program() {
        return program;
    }

    /** Sends a command. */
    public void tell(String command) {
        commands.println(command);
    }

    /** Waits for an answer that begins with the given words and returns all its words. */
    public String[] await(String beginning) {
        return await(beginning, PATIENCE);
    }

    /** As {@link #await(String)}, with another time limit. */
    public String[] await(String beginning, Duration patience) {
        String[] words = poll(beginning, patience);
        if (words == null) {
            throw new IllegalStateException(
                    name + " did not say '" + beginning + "' within " + patience.toMillis() + " ms, but " + answers());
        }
        return words;
    }

    /** Waits, and returns null if there was no such answer. A returned answer is removed. */
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

    /** Returns the answers that no call has waited for yet. */
    public List<String> answers() {
        mutex.lock();
        try {
            return List.copyOf(answers);
        } finally {
            mutex.unlock();
        }
    }

    /** Starts to acquire a lock. */
    public void hold(String id, int lock, boolean exclusive) {
        tell("hold " + id + " " + lock + " " + (exclusive ? "write" : "read") + " " + TimeUnit.SECONDS.toMillis(60));
    }

    /** Starts to acquire a lock for writing that stays taken for a while at least. */
    public void holdAtLeast(String id, int lock, Duration least) {
        tell("hold " + id + " " + lock + " write " + TimeUnit.SECONDS.toMillis(60) + " " + least.toMillis());
    }

    /** Starts to try to acquire a lock, again and again. */
    public void tryHold(String id, int lock, boolean exclusive) {
        tell("try " + id + " " + lock + " " + (exclusive ? "write" : "read") + " " + TimeUnit.SECONDS.toMillis(60));
    }

    /** Waits until the lock is granted. */
    public Grant granted(String id, Duration patience) {
        String[] words = await("granted " + id, patience);
        return new Grant(Long.parseLong(words[2]), Long.parseLong(words[3]));
    }

    /** Acquires a lock and waits until it is granted. */
    public Grant take(String id, int lock, boolean exclusive) {
        hold(id, lock, exclusive);
        return granted(id, PATIENCE);
    }

    /** Releases a lock and returns the answer: {@code released} or {@code released-lost}. */
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
        throw new IllegalStateException(name + " did not release " + id + ", but answered " + answers());
    }

    /** Asks the worker for its figures. */
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

    /** Lets the worker leave in an orderly way and waits until its process has ended. */
    public void leave() {
        tell("leave");
        await("left");
        program.terminate();
    }

    @Override
    public void close() {
        program.close();
    }

    /** A granted lock: its token, and the time of the grant. */
    public record Grant(long token, long atNanos) {}
}
