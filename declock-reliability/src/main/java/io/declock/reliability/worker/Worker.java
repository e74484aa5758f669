// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.worker;

import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.Counters.Event;
import io.declock.DecLock;
import io.declock.TcpFabricSettings;
import io.declock.reliability.ledger.Ledger;
import io.declock.reliability.ledger.SectionRecord;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * A process that acquires locks through the public interface and executes commands, one per line:
 *
 * <pre>
 * hold ID LOCK read|write WAIT_MILLIS [LEAST_MILLIS]
 *                                       acquires a lock and holds it until told to release; it stays taken that long at least
 * try ID LOCK read|write WAIT_MILLIS    as hold, but only with tries that do not wait, for that long
 * write ID                              writes the amount read on entering, plus one, to the database
 * release ID                            releases the lock
 * load FIRST_LOCK LOCKS THREADS READ_PERCENT
 *                                       starts a load
 * calm                                  ends the load
 * stats                                 answers with figures
 * origin                                answers with the place of the library's classes
 * collect                               runs the garbage collector
 * leave                                 leaves the memory node and ends the process
 * </pre>
 *
 * Answers are lines that begin with {@value #MARK}; times in them come from the machine's monotonic clock.
 *
 * <p>Apart from LEAST_MILLIS it uses only what the library has had since version 4 of the wire protocol, and no internal class: tests run
 * it with the library of former releases.
 */
public final class Worker {
    /** Begins every line that is an answer. */
    public static final String MARK = "@ ";

    /** Logs only problems, to standard error. The simulation, which is on the class path, has a configuration that logs nothing. */
    private static final String LOGGING = "worker-logback.xml";

    /** Connect timeout: a memory node that has just started takes a moment for its first handshake. */
    private static final Duration CONNECT = Duration.ofSeconds(1);

    private static final Duration READY = Duration.ofSeconds(60);

    /** Number of sections that fit into a ledger. */
    private static final int SECTIONS = 1 << 15;

    private final WorkerOptions options;
    private final PrintStream answers;
    private final Map<String, Visit> visits = new HashMap<>();
    private final Ledger ledger;
    private final DecLock node;
    private @Nullable Load load;
    private int loads;

    private Worker(WorkerOptions options, PrintStream answers) throws IOException {
        this.options = options;
        this.answers = answers;
        this.ledger = Ledger.create(options.ledger(), SECTIONS);
        TcpFabricSettings fabric = TcpFabricSettings.builder()
                .peerHost(options.peerAddress())
                .peerPort(options.peerPort())
                .secret(options.secret())
                .connectTimeout(CONNECT)
                .requestTimeout(options.lease().multipliedBy(2))
                .build();
        this.node = DecLock.builder()
                .memoryNodes(options.memoryNode().split(",", -1))
                .tcp(fabric)
                .settings(settings(options))
                .open();
    }

    private static ComputeNodeSettings settings(WorkerOptions options) {
        return ComputeNodeSettings.builder()
                .namespace("reliability")
                .name(options.name())
                .lease(options.lease())
                .spin(Duration.ZERO)
                .build();
    }

    /** Joins and executes commands until told to leave, or until the commands end. */
    public static void main(String... arguments) throws Exception {
        // Set before the first logger is made.
        System.setProperty("logback.configurationFile", LOGGING);
        WorkerOptions options = CommandLine.populateSpec(WorkerOptions.class, arguments);
        // These streams are never closed: they end with the process.
        InputStream in = options.commands() == null ? System.in : new Tail(options.commands());
        PrintStream answers = options.answers() == null
                ? System.out
                : new PrintStream(Files.newOutputStream(options.answers()), true, StandardCharsets.UTF_8);
        BufferedReader commands = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        Worker worker = new Worker(options, answers);
        worker.join();
        String line = commands.readLine();
        while (line != null && !line.equals("leave")) {
            worker.obey(line.strip().split(" "));
            line = commands.readLine();
        }
        worker.leave(line != null);
        // Threads of the load may still wait for locks that are never granted.
        System.exit(0);
    }

    private void join() throws InterruptedException {
        if (!node.awaitReady(READY)) {
            throw new IllegalStateException(
                    "not ready after " + READY + ": " + node.monitor().memoryNodes());
        }
        say("ready");
    }

    private void obey(String[] words) throws Exception {
        switch (words[0]) {
            case "hold" -> visit(words).start(millis(words[4]), words.length > 5 ? millis(words[5]) : Duration.ZERO);
            case "try" -> visit(words).startToTry(millis(words[4]));
            case "write" -> visit(words[1]).write();
            case "release" -> visit(words[1]).release();
            case "load" -> {
                loads++;
                String name = options.name() + "." + loads + SectionRecord.LOAD_SUFFIX;
                load = new Load(this, Ledger.create(options.ledger().resolveSibling(name), SECTIONS), words);
                load.start();
            }
            case "calm" -> calm();
            case "collect" -> System.gc();
            case "stats" -> stats();
            case "origin" ->
                say("origin "
                        + DecLock.class.getProtectionDomain().getCodeSource().getLocation());
            default -> throw new IllegalArgumentException("unknown command " + words[0]);
        }
    }

    private static Duration millis(String word) {
        return Duration.ofMillis(Long.parseLong(word));
    }

    private Visit visit(String[] words) {
        Visit visit = new Visit(this, words[1], Integer.parseInt(words[2]), words[3].equals("write"));
        visits.put(words[1], visit);
        return visit;
    }

    private Visit visit(String id) {
        Visit visit = visits.get(id);
        if (visit == null) {
            throw new IllegalArgumentException("no visit " + id);
        }
        return visit;
    }

    private void calm() throws InterruptedException {
        Load running = load;
        if (running != null) {
            running.stop();
            load = null;
        }
        say("calm");
    }

    private void stats() {
        Runtime runtime = Runtime.getRuntime();
        Counters counters = node.monitor().counters();
        say("stats heap=" + (runtime.totalMemory() - runtime.freeMemory())
                + " threads=" + Thread.activeCount()
                + " resets-started=" + counters.get(Event.RESET_STARTED)
                + " resets-taken-over=" + counters.get(Event.RESET_TAKEN_OVER)
                + " resets-completed=" + counters.get(Event.RESET_COMPLETED)
                + " sessions-lost=" + counters.get(Event.SESSION_LOST)
                + " holds-restored=" + counters.get(Event.HOLD_RESTORED)
                + " direct=" + counters.get(Event.PEER_DIRECT)
                + " relayed=" + counters.get(Event.PEER_RELAYED));
    }

    private void leave(boolean orderly) throws InterruptedException {
        if (orderly) {
            calm();
            node.stopAccepting();
            node.awaitIdle(Duration.ofSeconds(2));
            node.close();
            say("left");
        }
    }

    WorkerOptions options() {
        return options;
    }

    DecLock node() {
        return node;
    }

    Ledger ledger() {
        return ledger;
    }

    /** Writes an answer. Thread-safe: one line is one call of a synchronised stream. */
    void say(String text) {
        answers.println(MARK + text);
    }
}
