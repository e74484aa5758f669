// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.harness;

import io.declock.benchmarks.peer.Tuning;
import io.declock.benchmarks.report.Json;
import io.declock.benchmarks.server.Processes;
import io.declock.benchmarks.worker.ExclusionProbe;
import io.declock.testkit.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;

/** Compute nodes that are joined beside those which are measured, many of them in each of a few processes. */
public final class Crowd implements AutoCloseable {
    private static final int MOST_PER_PROCESS = 250;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final List<ChildProcess> processes = new ArrayList<>();
    private final Path probe;
    private long joinMillis;

    /**
     * What came of it.
     *
     * @param size number of compute nodes
     * @param joinMillis time in which all had joined
     * @param idlePermille CPU that they used while another process was measured, in thousandths of one processor
     * @param turnMillis time in which each had held one lock once, all of them asking at the same time
     * @param turns how many write locks the counter under the lock saw
     * @param resets how often that lock was reset
     * @param selfChecks how often a waiter looked at the queue
     * @param selfGrants how often a waiter found its grant by that
     */
    public record Report(
            int size,
            long joinMillis,
            long idlePermille,
            long turnMillis,
            long turns,
            long resets,
            long selfChecks,
            long selfGrants) {}

    private Crowd(Path folder) {
        this.probe = folder.resolve("turns");
    }

    /** How processes of a crowd are started. */
    @FunctionalInterface
    private interface Start {
        ChildProcess start(String name, Path folder, List<String> jvmArguments, List<String> arguments)
                throws IOException;
    }

    /**
     * Starts compute nodes that do nothing while another process is measured, and waits until all have joined. They stand for those of
     * other machines, so they have the lowest priority on this one.
     */
    static Crowd idle(String address, RunSettings settings, Path folder) throws IOException, InterruptedException {
        return start(address, settings, folder, Processes::startJavaBehind);
    }

    /** Starts compute nodes for {@link #takeTurns}, and waits until all have joined. */
    static Crowd active(String address, RunSettings settings, Path folder) throws IOException, InterruptedException {
        return start(address, settings, folder, Processes::startJava);
    }

    private static Crowd start(String address, RunSettings settings, Path folder, Start start)
            throws IOException, InterruptedException {
        Crowd crowd = new Crowd(folder);
        try {
            crowd.join(address, folder, settings, start);
        } catch (IOException | InterruptedException | RuntimeException e) {
            crowd.close();
            throw e;
        }
        return crowd;
    }

    private void join(String address, Path folder, RunSettings settings, Start start)
            throws IOException, InterruptedException {
        Tuning tuning = settings.tuning();
        int size = settings.crowd();
        for (int first = 0; first < size; first += MOST_PER_PROCESS) {
            List<String> arguments = List.of(
                    "crowd",
                    "--address=" + address,
                    "--size=" + Math.min(MOST_PER_PROCESS, size - first),
                    "--first=" + first,
                    "--probe=" + probe,
                    "--tuning=" + Json.line(tuning));
            processes.add(start.start("crowd-" + first, folder, settings.jvmArguments(), arguments));
        }
        for (ChildProcess process : processes) {
            joinMillis = Math.max(
                    joinMillis,
                    Long.parseLong(process.await("^READY (.*)", PATIENCE).group(1)));
        }
    }

    /** Returns the CPU that they have used since they joined, in thousandths of one processor. */
    long idlePermille() throws IOException, InterruptedException {
        long sum = 0;
        for (ChildProcess process : processes) {
            process.tell("CPU");
            sum += Long.parseLong(process.await("^CPU (\\d+)", PATIENCE).group(1));
        }
        return sum;
    }

    /** Has each of them take one lock once. */
    Report takeTurns(int size, long idlePermille) throws IOException, InterruptedException {
        processes.forEach(process -> process.tell("TURN"));
        long[] sums = new long[4];
        for (ChildProcess process : processes) {
            MatchResult turned = process.await("^TURNED (\\d+) (\\d+) (\\d+) (\\d+)", PATIENCE);
            sums[0] = Math.max(sums[0], Long.parseLong(turned.group(1)));
            for (int i = 1; i < sums.length; i++) {
                sums[i] += Long.parseLong(turned.group(i + 1));
            }
        }
        long turns = ExclusionProbe.open(probe, 1).sum();
        return new Report(size, joinMillis, idlePermille, sums[0], turns, sums[1], sums[2], sums[3]);
    }

    @Override
    public void close() {
        processes.forEach(ChildProcess::end);
    }
}
