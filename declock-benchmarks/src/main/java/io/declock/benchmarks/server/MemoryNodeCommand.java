// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.TcpTransport;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.MemoryNodeStatus;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.testkit.Ports;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A memory node as a process of its own. Ends with its standard input; answers {@code STATUS} with its counters. */
@Command(name = "memory-node", hidden = true, description = "Runs a memory node for a benchmark.")
public final class MemoryNodeCommand implements Callable<Integer> {
    @Option(names = "--records", defaultValue = "150000")
    private int records;

    @Option(names = "--capacity", defaultValue = "64")
    private int capacity;

    @Option(names = "--transport", defaultValue = "AUTO")
    private TcpTransport transport = TcpTransport.AUTO;

    @Option(names = "--poll-micros", defaultValue = "0")
    private long pollMicros;

    @Option(names = "--reclaim-millis", defaultValue = "60000")
    private long reclaimMillis;

    @Option(names = "--preallocate")
    private boolean preallocate;

    @Override
    public Integer call() throws Exception {
        MemoryNodeSettings settings = MemoryNodeSettings.builder("bench")
                .records(records)
                .queueCapacity(capacity)
                .recordsPerSession(records)
                .waitOutOldSessions(false)
                .reclaimInterval(Duration.ofMillis(reclaimMillis))
                .preallocate(preallocate)
                .build();
        try (LocalMemoryNode local = new LocalMemoryNode(settings);
                MemoryNodeServer server = MemoryNodeServer.start(local.node(), serverSettings())) {
            System.out.println("PORT " + server.port());
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("STATUS")) {
                    System.out.println("STATUS " + text(local.node().status()));
                }
            }
        }
        return 0;
    }

    private MemoryNodeServerSettings serverSettings() {
        return MemoryNodeServerSettings.builder()
                .host(Ports.LOOPBACK)
                .port(0)
                .transport(transport)
                .eventLoopPolling(Duration.ofNanos(pollMicros * 1000))
                .build();
    }

    private static String text(MemoryNodeStatus status) {
        return status.recordsInUse() + " " + status.committedBytes() + " " + status.reclaimed();
    }
}
