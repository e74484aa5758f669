// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.LockMode;
import io.declock.benchmarks.peer.DecLockPeer;
import io.declock.benchmarks.peer.LockUnderTest;
import io.declock.benchmarks.peer.Tuning;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Many compute nodes in one process, each with its own connection and session, which are joined and do nothing else. On the line TURN each
 * takes one lock once, all at the same time; on the line CPU it tells the CPU used since all joined. Ends with its standard input.
 */
@Command(name = "crowd", hidden = true, description = "Joins with many compute nodes for a benchmark.")
public final class CrowdCommand implements Callable<Integer> {
    /** The lock that each of them takes. */
    private static final String NAME = "the crowd's";

    /** On this one machine all of them start cold. */
    private static final int AT_A_TIME = 10;

    /** A lease during which this one machine gets round to all of them. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    @Option(names = "--address", required = true)
    private String address = "";

    @Option(names = "--size", required = true)
    private int size;

    @Option(names = "--first", required = true)
    private int first;

    @Option(names = "--probe", required = true)
    private @Nullable Path probe;

    @Option(names = "--tuning", required = true)
    private Tuning tuning = Tuning.DEFAULTS;

    @Override
    public Integer call() throws Exception {
        List<DecLockPeer> all = new ArrayList<>();
        try {
            long began = System.nanoTime();
            for (int i = 0; i < size; i += AT_A_TIME) {
                List<DecLockPeer> next = new ArrayList<>();
                for (int k = i; k < Math.min(size, i + AT_A_TIME); k++) {
                    next.add(DecLockPeer.opened(address, settings("crowd-" + (first + k)), tuning));
                }
                all.addAll(next);
                for (DecLockPeer one : next) {
                    one.awaitReady();
                }
            }
            System.out.println("READY " + millisSince(began));
            long ready = System.nanoTime();
            Duration usedBefore = cpu();
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("TURN")) {
                    takeTurns(all);
                } else if (line.equals("CPU")) {
                    System.out.println("CPU " + 1000 * cpu().minus(usedBefore).toNanos() / (System.nanoTime() - ready));
                }
            }
        } finally {
            inParallel(all, DecLockPeer::close);
        }
        return 0;
    }

    private ComputeNodeSettings settings(String name) {
        ComputeNodeSettings tuned = tuning.computeNode(name);
        return ComputeNodeSettings.builder()
                .namespace(tuned.namespace())
                .name(tuned.name())
                .lease(LEASE)
                .spin(tuned.spin())
                .local(tuned.local())
                .cql(tuned.cql())
                .build();
    }

    private void takeTurns(List<DecLockPeer> all) throws Exception {
        ExclusionProbe counter = ExclusionProbe.open(probe == null ? Path.of("turns") : probe, 1);
        long began = System.nanoTime();
        inParallel(all, one -> takeTurn(one, counter));
        System.out.println("TURNED " + millisSince(began) + " "
                + sum(all, Counters.Event.RESET_STARTED) + " " + sum(all, Counters.Event.SELF_CHECK) + " "
                + sum(all, Counters.Event.SELF_CHECK_GRANT));
    }

    private static void takeTurn(DecLockPeer one, ExclusionProbe counter) throws Exception {
        LockUnderTest.Held held = one.lock(NAME, LockMode.WRITE);
        try {
            counter.write(0, counter.read(0) + 1);
        } finally {
            held.unlock();
        }
    }

    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private static long sum(List<DecLockPeer> all, Counters.Event event) {
        return all.stream()
                .mapToLong(one -> one.counters().getOrDefault(event.name().toLowerCase(Locale.ROOT), 0L))
                .sum();
    }

    private static long millisSince(long began) {
        return Duration.ofNanos(System.nanoTime() - began).toMillis();
    }

    private interface Action {
        void run(DecLockPeer one) throws Exception;
    }

    private static void inParallel(List<DecLockPeer> all, Action action) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> running = new ArrayList<>();
            for (DecLockPeer one : all) {
                running.add(threads.submit(() -> {
                    action.run(one);
                    return one;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
    }
}
