// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.DecLockException;
import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.internal.node.ComputeNode;
import io.declock.testkit.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.platform.console.ConsoleLauncher;

/**
 * A process that is told what to do on its standard input, one command per line, and says on its standard output what came of
 * it, in lines that begin with {@value #MARK}: {@code serve}, {@code join}, {@code acquire}, {@code release}, {@code work}, {@code
 * leave}, {@code rehearse}. Acquisitions wait on threads of their own, so that the next command is heard.
 */
public final class Participant {
    static final String MARK = "@ ";
    private static final Duration READY = Duration.ofSeconds(60);

    private final String name;
    private final ReentrantLock output = new ReentrantLock();
    private final Map<String, LockHandle> held = new ConcurrentHashMap<>();
    private ComputeNode node;
    private Fabrics.Served memoryNode;

    private Participant(String name) {
        this.name = name;
    }

    /** Obeys until its input ends; the argument is what it calls itself. */
    public static void main(String... arguments) throws IOException {
        Participant participant = new Participant(arguments.length > 0 ? arguments[0] : "participant");
        participant.say("here");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = input.readLine();
        while (line != null && !line.equals("exit")) {
            if (!line.isBlank()) {
                participant.obey(line.strip().split(" "));
            }
            line = input.readLine();
        }
        System.exit(0);
    }

    private void obey(String[] words) {
        long since = System.nanoTime();
        try {
            switch (words[0]) {
                case "serve" -> serve(words[1], words[2]);
                case "join" -> join(words[1]);
                case "acquire" ->
                    Thread.ofPlatform()
                            .start(() ->
                                    acquire(LockMode.valueOf(words[1].toUpperCase(Locale.ROOT)), words[2], words[3]));
                case "release" -> release(words[1]);
                case "work" -> new Work(node, name, words).run(this::say);
                case "rehearse" -> rehearse(List.of(words).subList(1, words.length));
                case "leave" -> node.close();
                default -> throw new IllegalArgumentException("unknown command");
            }
            if (!words[0].equals("acquire")) {
                say("done " + words[0] + " " + millisSince(since));
            }
        } catch (Exception e) {
            say("failed " + words[0] + " " + millisSince(since) + " " + describe(e));
            e.printStackTrace();
        }
    }

    private void serve(String address, String oldSessions) throws Exception {
        memoryNode = Fabrics.serve(MemoryNodeAddress.parse(address), oldSessions.equals("wait"));
    }

    private void join(String address) throws Exception {
        node = Fabrics.computeNode(MemoryNodeAddress.parse(address), Fabrics.settings(name), Map.of());
        node.start();
        if (!node.awaitReady(READY)) {
            throw new IllegalStateException("not ready: " + node.monitor().memoryNodes());
        }
    }

    /**
     * Loads the classes that will be needed, on a machine without a device, for the archive that later starts are quicker with.
     *
     * @param tests names of the test classes that machines run
     */
    private void rehearse(List<String> tests) throws Exception {
        String address = "tcp://127.0.0.1:" + Ports.free();
        serve(address, "nowait");
        join(address);
        acquire(LockMode.WRITE, "rehearsal", "1000");
        release("rehearsal");
        node.close();
        memoryNode.close();
        discover(tests);
    }

    /** Prepares a run of tests, and runs none of them. */
    private static void discover(List<String> tests) {
        List<String> arguments = new ArrayList<>(List.of("execute", "--disable-banner", "--details=none"));
        arguments.addAll(List.of("--include-classname=.*", "--config=junit.platform.execution.dryRun.enabled=true"));
        tests.forEach(test -> arguments.add("--select-class=" + test));
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        ConsoleLauncher.run(nowhere, nowhere, arguments.toArray(String[]::new));
    }

    private void acquire(LockMode mode, String lock, String waitMillis) {
        long since = System.nanoTime();
        try {
            LockHandle handle =
                    node.acquire(LockRequest.of(lock, mode).waitTime(Duration.ofMillis(Long.parseLong(waitMillis))));
            held.put(lock, handle);
            say("granted " + lock + " " + millisSince(since) + " " + handle.fencingToken());
            handle.onLost((lost, why) -> say("lost " + lock + " " + describe(why)));
        } catch (DecLockException e) {
            say("refused " + lock + " " + millisSince(since) + " " + describe(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void release(String lock) {
        LockHandle handle = held.remove(lock);
        if (handle == null) {
            throw new IllegalStateException("does not hold " + lock);
        }
        handle.close();
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }

    private static String describe(Throwable e) {
        return e.getClass().getSimpleName() + ": "
                + String.valueOf(e.getMessage()).replace('\n', ' ');
    }

    private void say(String text) {
        output.lock();
        try {
            System.out.println(MARK + text);
            System.out.flush();
        } finally {
            output.unlock();
        }
    }
}
