// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.reliability.ledger.Accounts;
import io.declock.reliability.ledger.Referee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A memory node, workers, and the database that the workers write to. For one thread.
 *
 * @param <N> type of a worker with its connections
 */
public final class Cluster<N extends Node> implements AutoCloseable {
    /** Number of locks that have accounts. */
    public static final int LOCKS = 64;

    private static final Duration START_PATIENCE = Duration.ofSeconds(90);
    private static final int LINES_TOLD = 25;
    /** The former holder, the memory node and the waiter itself: the machine's lateness delays each of the three. */
    private static final int PROCESSES_ON_THE_WAY = 3;

    private final Platform platform;
    private final Launcher<N> launcher;
    private final Lateness lateness;
    private final Referee referee;
    private final List<Node> nodes = new ArrayList<>();
    private final Set<Node> dismissed = new HashSet<>();
    private Program memoryNode;
    private int lives = 1;

    /** Starts a worker. */
    private interface Launcher<N> {
        N launch(String name);
    }

    private Cluster(Platform platform, Launcher<N> launcher, Lateness lateness) {
        this.platform = platform;
        this.launcher = launcher;
        this.lateness = lateness;
        try {
            Accounts.create(platform.site().databaseUrl(), LOCKS);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        this.referee = new Referee(platform.site().directory(), platform.site().databaseUrl());
        this.memoryNode = platform.startMemoryNode(lives, false);
    }

    /** Starts a cluster of processes without workers. */
    public static Cluster<ProxiedNode> local(Duration lease) {
        LocalPlatform platform = new LocalPlatform(lease);
        return new Cluster<>(platform, platform::launch, Lateness.measured());
    }

    /** Starts a cluster of processes without workers, with a memory node whose next life restores holds. */
    public static Cluster<ProxiedNode> localThatKeepsHolds(Duration lease) {
        LocalPlatform platform = new LocalPlatform(lease, true);
        return new Cluster<>(platform, platform::launch, Lateness.measured());
    }

    /** Starts a cluster without workers. */
    public static Cluster<Node> on(Platform platform) {
        return on(platform, Lateness.measured());
    }

    static Cluster<Node> on(Platform platform, Lateness lateness) {
        return new Cluster<>(platform, platform::launch, lateness);
    }

    // ---------------------------------------------------------------- memory node

    /** Starts the memory node again, always at the same address, with empty memory. */
    public void restartMemoryNode() {
        lives++;
        memoryNode = platform.startMemoryNode(lives, true);
    }

    /** Returns the memory node's program. */
    public Program memoryNode() {
        return memoryNode;
    }

    // ---------------------------------------------------------------- workers

    /** Starts a worker and waits until it has joined. */
    public N worker(String name) {
        return workers(name).get(0);
    }

    /** Starts workers at the same time and waits until all have joined. */
    public List<N> workers(String... names) {
        List<N> started = new ArrayList<>();
        for (String name : names) {
            lives++;
            N node = launcher.launch(name + "-" + lives);
            nodes.add(node);
            started.add(node);
        }
        started.forEach(node -> node.worker().await("ready", START_PATIENCE));
        return started;
    }

    /** Ends workers that are no longer needed. */
    public void dismiss(List<? extends Node> some) {
        dismissed.addAll(some);
        some.forEach(Node::close);
    }

    // ---------------------------------------------------------------- time and judgement

    /** Returns the lease of every worker. */
    public Duration lease() {
        return platform.site().lease();
    }

    /** Returns the longest wait allowed after a fault: the lease, the time the memory node takes to notice, and a second. */
    public Duration bound() {
        return lease().plus(Platform.MARGIN).plusMillis(100).plusSeconds(1);
    }

    /** Returns the bound for a wait since then: longer by the machine's lateness meanwhile, for each process involved. */
    public Duration boundSince(long calmSince) {
        return bound().plusNanos(PROCESSES_ON_THE_WAY * lateness.nanosSince(calmSince));
    }

    /** Lets time pass. */
    public static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /**
     * Judges everything recorded since the last call; waits count from {@code calmSince} on.
     */
    public Referee.Verdict judge(long calmSince) {
        for (Node node : nodes) {
            for (String answer : node.worker().answers()) {
                if (answer.startsWith("violation")
                        || answer.startsWith("broken")
                                && node.worker().program().isAlive()) {
                    throw new IllegalStateException(node.worker().name() + " reports: " + answer);
                }
            }
        }
        try {
            Referee.Verdict verdict = referee.judge(calmSince);
            Duration allowed = boundSince(calmSince);
            if (verdict.longestWaitNanos() > allowed.toNanos()) {
                throw new IllegalStateException(String.format(
                        Locale.ROOT,
                        "a waiter waited %d ms after the faults had stopped; the bound is %d ms, or %d ms with the machine's lateness",
                        TimeUnit.NANOSECONDS.toMillis(verdict.longestWaitNanos()),
                        bound().toMillis(),
                        allowed.toMillis()));
            }
            return verdict;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Describes, for the analysis of a failed run, whether each program that was not dismissed runs, and its last log lines. */
    public String describe() {
        StringBuilder text = new StringBuilder();
        describe(text, "memory node", memoryNode);
        for (Node node : nodes) {
            if (!dismissed.contains(node)) {
                describe(text, node.worker().name(), node.worker().program());
            }
        }
        return text.toString();
    }

    private static void describe(StringBuilder text, String name, Program program) {
        text.append("\n-- ").append(name).append(program.isAlive() ? ", which runs" : ", WHICH HAS ENDED");
        List<String> lines = program.log().lines().toList();
        lines.stream()
                .skip(Math.max(0, lines.size() - LINES_TOLD))
                .forEach(line -> text.append("\n   ").append(line));
    }

    @Override
    public void close() {
        lateness.close();
        dismiss(nodes);
        memoryNode.close();
        platform.close();
    }
}
