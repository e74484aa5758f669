// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.harness;

import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Json;
import io.declock.benchmarks.server.Processes;
import io.declock.benchmarks.server.RunningServer;
import io.declock.benchmarks.worker.ExclusionProbe;
import io.declock.benchmarks.worker.WorkerReport;
import io.declock.benchmarks.worker.Workload;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Directories;
import io.declock.testkit.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes one run.
 *
 * <ol>
 *   <li>Start the server, then the client processes; wait until all are connected.
 *   <li>Let them run; after the warm-up open the window, later close it, each time recording the CPU time of all processes.
 *   <li>Collect the reports, check the counters under the locks, end the processes, delete their files.
 * </ol>
 */
public final class Coordinator {
    private static final Duration CONNECT = Duration.ofMinutes(2);
    private static final Duration REPORT = Duration.ofSeconds(90);

    private final RunSettings settings;
    private final Task task;

    /**
     * What the processes do.
     *
     * @param worker the command of a client process, with its first arguments
     * @param memoryNode further arguments of the memory node
     */
    public record Task(List<String> worker, List<String> memoryNode) {
        /** Lock and unlock. */
        public static final Task LOCKS = new Task(List.of("worker"), List.of());
    }

    /** Makes a coordinator of runs of that kind. */
    public Coordinator(RunSettings settings, Task task) {
        this.settings = settings;
        this.task = task;
    }

    /** Returns why a lock cannot be run here, or null if it can. */
    public static @Nullable String missing(Peer peer) {
        return peer.server().missing();
    }

    /** Makes one run. */
    public RunResult run(Peer peer, Workload workload) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("declock-bench-");
        List<ChildProcess> workers = new ArrayList<>();
        try (RunningServer server = RunningServer.start(peer.server(), folder, memoryNodeArguments())) {
            Crowd crowd = settings.crowd() == 0 ? null : Crowd.idle(server.address(), settings, folder);
            try {
                // Hazelcast needs a second member to keep a backup.
                int processes = peer == Peer.HAZELCAST ? Math.max(2, workload.processes()) : workload.processes();
                String address = peer == Peer.HAZELCAST ? memberAddresses(processes) : server.address();
                for (int i = 0; i < processes; i++) {
                    workers.add(startWorker(peer, workload, address, i, folder));
                }
                for (ChildProcess worker : workers) {
                    worker.await("^READY", CONNECT);
                }
                RunResult result = measure(peer, workload, server, workers, folder);
                if (crowd != null) {
                    long idlePermille = crowd.idlePermille();
                    crowd.close();
                    reportTurns(server.address(), folder, idlePermille);
                }
                return result;
            } finally {
                workers.forEach(ChildProcess::end);
                if (crowd != null) {
                    crowd.close();
                }
            }
        } finally {
            Directories.delete(folder);
        }
    }

    private void reportTurns(String address, Path folder, long idlePermille) throws IOException, InterruptedException {
        Crowd crowd = Crowd.active(address, settings, folder);
        try {
            settings.crowdReport().accept(crowd.takeTurns(settings.crowd(), idlePermille));
        } finally {
            crowd.close();
        }
    }

    private List<String> memoryNodeArguments() {
        List<String> arguments = new ArrayList<>(task.memoryNode());
        arguments.addAll(List.of(
                "--poll-micros=" + settings.tuning().serverPollMicros(),
                "--transport=" + settings.tuning().transport(),
                "--rdma=" + settings.tuning().rdma()));
        return arguments;
    }

    private static String memberAddresses(int count) {
        return Ports.free(count).stream()
                .map(port -> Ports.LOOPBACK + ":" + port)
                .collect(Collectors.joining(","));
    }

    private ChildProcess startWorker(Peer peer, Workload workload, String address, int index, Path folder)
            throws IOException {
        List<String> arguments = new ArrayList<>(task.worker());
        arguments.addAll(List.of(
                "--peer=" + peer.label(),
                "--address=" + address,
                "--index=" + index,
                "--probe=" + folder.resolve("probe"),
                "--workload=" + Json.line(workload),
                "--tuning=" + Json.line(settings.tuning())));
        return Processes.startJava("worker-" + index, folder, settings.jvmArguments(), arguments);
    }

    private RunResult measure(
            Peer peer, Workload workload, RunningServer server, List<ChildProcess> processes, Path folder)
            throws IOException, InterruptedException {
        List<ChildProcess> workers = processes.subList(0, workload.processes());
        tell(workers, "RUN");
        Thread.sleep(settings.warmUp().toMillis());
        tell(workers, "MEASURE");
        long began = System.nanoTime();
        Duration cpuBefore = cpuTime(server, processes);
        Thread.sleep(settings.measure().toMillis());
        tell(workers, "STOP");
        Duration cpu = cpuTime(server, processes).minus(cpuBefore);
        Duration window = Duration.ofNanos(System.nanoTime() - began);
        List<WorkerReport> reports = new ArrayList<>();
        for (ChildProcess worker : workers) {
            reports.add(WorkerReport.parse(
                    worker.await("^" + WorkerReport.LINE + "(.*)", REPORT).group(1)));
        }
        long writesSeen = peer == Peer.BARE_VERB
                ? reports.stream().mapToLong(WorkerReport::writesEver).sum()
                : ExclusionProbe.open(folder.resolve("probe"), workload.allNames())
                        .sum();
        return RunResult.of(peer, workload, window, cpu, reports, writesSeen);
    }

    private static void tell(List<ChildProcess> workers, String line) {
        workers.forEach(worker -> worker.tell(line));
    }

    private static Duration cpuTime(RunningServer server, List<ChildProcess> workers) {
        Duration sum = server.cpuTime();
        for (ChildProcess worker : workers) {
            sum = sum.plus(worker.cpuTime());
        }
        return sum;
    }
}
