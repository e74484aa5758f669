// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.scenario;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.cluster.ProxiedNode;
import io.declock.reliability.ledger.Referee;
import io.declock.testkit.TcpProxy.Direction;
import io.declock.testkit.TcpProxy.Flow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * A few workers under load, with one fault after the other, drawn from a seed. After each round of faults follows a period without faults:
 * all records are judged, and the memory and threads of the worker that was never restarted are compared with the first round.
 */
public final class Soak {
    private static final int FAULTS_PER_ROUND = 6;
    private static final int LOCKS = 6;
    private static final int THREADS = 3;
    private static final int READ_PERCENT = 40;
    /** The worker at this index is paused and cut off, but never restarted, because its memory and threads are watched. */
    private static final int VETERAN = 0;

    /** A worker that has not ended its load by then, after the last fault, never will. The referee judges how long callers waited. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** A fault that takes longer had to wait for a busy machine. */
    private static final Duration SLOW = Duration.ofSeconds(5);

    private static final long HEAP_ALLOWANCE = 8 << 20;
    private static final long THREAD_ALLOWANCE = 4;

    private final Cluster<ProxiedNode> cluster;
    private final List<ProxiedNode> nodes;
    private final SplittableRandom random;
    private final Consumer<String> log;

    private Soak(Cluster<ProxiedNode> cluster, SplittableRandom random, Consumer<String> log) {
        this.cluster = cluster;
        this.random = random;
        this.log = log;
        this.nodes = new ArrayList<>(cluster.workers("veteran", "other", "another"));
    }

    /**
     * Runs it.
     *
     * @throws RuntimeException if any check failed
     */
    public static void run(Duration length, Duration lease, long seed, Consumer<String> log) {
        log.accept("seed " + seed + ", lease " + lease.toMillis() + " ms");
        long end = System.nanoTime() + length.toNanos();
        try (Cluster<ProxiedNode> cluster = Cluster.local(lease)) {
            try {
                new Soak(cluster, new SplittableRandom(seed), log).rounds(end);
            } catch (RuntimeException e) {
                log.accept(cluster.describe());
                throw e;
            }
        }
    }

    private void rounds(long end) {
        Map<String, Long> first = round(0);
        int rounds = 1;
        while (System.nanoTime() - end < 0) {
            Map<String, Long> last = round(rounds);
            rounds++;
            within("heap", first, last, HEAP_ALLOWANCE);
            within("threads", first, last, THREAD_ALLOWANCE);
        }
    }

    private static void within(String what, Map<String, Long> first, Map<String, Long> last, long allowance) {
        long before = first.getOrDefault(what, 0L);
        long after = last.getOrDefault(what, 0L);
        Recovery.require(after <= before + allowance, what + " stays flat: " + before + " at first, now " + after);
    }

    private Map<String, Long> round(int number) {
        for (ProxiedNode node : nodes) {
            node.worker().load(0, LOCKS, THREADS, READ_PERCENT);
        }
        for (int i = 0; i < FAULTS_PER_ROUND; i++) {
            Cluster.pause(Duration.ofMillis(random.nextInt(500)));
            long from = System.nanoTime();
            String fault = fault();
            log.accept("round " + number + ": " + fault + slowness(Duration.ofNanos(System.nanoTime() - from)));
        }
        long calmSince = System.nanoTime();
        Cluster.pause(cluster.bound());
        for (ProxiedNode node : nodes) {
            node.worker().tell("calm");
        }
        for (ProxiedNode node : nodes) {
            node.worker().await("calm", PATIENCE);
        }
        Referee.Verdict verdict = cluster.judge(calmSince);
        nodes.get(VETERAN).worker().tell("collect");
        Map<String, Long> stats = nodes.get(VETERAN).worker().stats();
        log.accept(String.format(
                Locale.ROOT,
                "round %d: %d sections, %d lost, %d bookings, longest wait afterwards %d ms, heap %d KiB, %d threads",
                number,
                verdict.sections(),
                verdict.lost(),
                verdict.bookings(),
                Duration.ofNanos(verdict.longestWaitNanos()).toMillis(),
                stats.getOrDefault("heap", 0L) >> 10,
                stats.getOrDefault("threads", 0L)));
        return stats;
    }

    /** Returns how long a slow fault took, including the restart of the program that it ended: no lock is granted meanwhile. */
    private static String slowness(Duration took) {
        return took.compareTo(SLOW) <= 0 ? "" : " (WHICH TOOK " + took.toMillis() + " ms)";
    }

    private String fault() {
        int victim = random.nextInt(nodes.size());
        ProxiedNode node = nodes.get(victim);
        Duration time = Duration.ofMillis(
                100 + random.nextInt((int) (2 * cluster.lease().toMillis())));
        switch (random.nextInt(9)) {
            case 0, 1 -> {
                if (victim == VETERAN) {
                    return "nothing";
                }
                node.worker().program().kill();
                replace(victim);
                return "kill " + node.worker().name();
            }
            case 2 -> {
                if (victim == VETERAN) {
                    return "nothing";
                }
                node.worker().leave();
                replace(victim);
                return "restart " + node.worker().name();
            }
            case 3 -> {
                node.worker().program().pause();
                Cluster.pause(time);
                node.worker().program().resume();
                return "stop " + node.worker().name() + " for " + time.toMillis() + " ms";
            }
            case 4 -> {
                cluster.memoryNode().pause();
                Cluster.pause(time);
                cluster.memoryNode().resume();
                return "stop the memory node for " + time.toMillis() + " ms";
            }
            case 5 -> {
                cluster.memoryNode().kill();
                cluster.restartMemoryNode();
                return "restart the memory node";
            }
            case 6 -> {
                node.isolate();
                Cluster.pause(time);
                node.heal();
                return "isolate " + node.worker().name() + " for " + time.toMillis() + " ms";
            }
            case 7 -> {
                Direction direction = random.nextBoolean() ? Direction.FROM_CLIENT : Direction.FROM_SERVER;
                node.toMemoryNode().set(direction, Flow.LOST);
                Cluster.pause(time);
                node.toMemoryNode().set(direction, Flow.OPEN);
                return "lose " + direction + " of " + node.worker().name() + " for " + time.toMillis() + " ms";
            }
            default -> {
                Direction direction = random.nextBoolean() ? Direction.FROM_CLIENT : Direction.FROM_SERVER;
                node.fromPeers().set(direction, Flow.LOST);
                Cluster.pause(time);
                node.fromPeers().set(direction, Flow.OPEN);
                return "lose peers' " + direction + " of " + node.worker().name() + " for " + time.toMillis() + " ms";
            }
        }
    }

    private void replace(int victim) {
        cluster.dismiss(List.of(nodes.get(victim)));
        ProxiedNode fresh = cluster.worker(victim == 1 ? "other" : "another");
        fresh.worker().load(0, LOCKS, THREADS, READ_PERCENT);
        nodes.set(victim, fresh);
    }
}
