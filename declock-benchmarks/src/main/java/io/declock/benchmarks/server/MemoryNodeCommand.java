// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeServer;
import io.declock.internal.memorynode.MemoryNodeServerSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.MemoryNodeStatus;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A memory node as a process of its own. Ends with its standard input; answers {@code STATUS} with its counters. */
@Command(name = "memory-node", hidden = true, description = "Runs a memory node for a benchmark.")
public final class MemoryNodeCommand implements Callable<Integer> {
    @Option(names = "--records", defaultValue = "150000")
    private int records;

    @Option(names = "--capacity", defaultValue = "64")
    private int capacity;

    @Option(names = "--poll-micros", defaultValue = "0")
    private long pollMicros;

    @Option(names = "--reclaim-millis", defaultValue = "60000")
    private long reclaimMillis;

    @Option(names = "--preallocate")
    private boolean preallocate;

    @Override
    public Integer call() throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        MemoryNodeSettings settings = MemoryNodeSettings.withId("bench")
                .withSize(records, capacity)
                .withRecordsPerSession(records)
                .withWaitOutOldSessions(false)
                .withReclaimInterval(Duration.ofMillis(reclaimMillis))
                .withPreallocate(preallocate);
        try (MemoryNode node = MemoryNode.create(
                        settings,
                        System::nanoTime,
                        (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                        () -> ThreadLocalRandom.current().nextLong());
                MemoryNodeServer server = MemoryNodeServer.start(node, serverSettings())) {
            System.out.println("PORT " + server.port());
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("STATUS")) {
                    System.out.println("STATUS " + text(node.status()));
                }
            }
        } finally {
            timer.shutdownNow();
        }
        return 0;
    }

    private MemoryNodeServerSettings serverSettings() {
        MemoryNodeServerSettings defaults = MemoryNodeServerSettings.DEFAULTS.withAddress(Ports.LOOPBACK, 0);
        return defaults.withEventLoops(defaults.eventLoopThreads(), pollMicros * 1000);
    }

    private static String text(MemoryNodeStatus status) {
        return status.recordsInUse() + " " + status.committedBytes() + " " + status.reclaimed();
    }
}
