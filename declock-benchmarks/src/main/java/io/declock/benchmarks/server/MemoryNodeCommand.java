// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.MemoryNodeAddress;
import io.declock.TcpTransport;
import io.declock.benchmarks.peer.Tuning;
import io.declock.internal.RdmaModule;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.MemoryNodeStatus;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.RdmaAccessProvider;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.testkit.Ports;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
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

    /** Address of the RDMA adapter; empty for TCP. */
    @Option(names = "--rdma", defaultValue = "")
    private String rdma;

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
        RdmaAccessProvider provider = rdma.isEmpty()
                ? null
                : RdmaModule.find(RdmaAccessProvider.class).orElseThrow();
        RegionMemory memory = provider == null ? null : provider.memory();
        try (LocalMemoryNode local = new LocalMemoryNode(settings, memory);
                RdmaAccess access = provider == null || memory == null
                        ? null
                        : provider.start(local.node(), memory, Map.of("address", rdma));
                MemoryNodeServer server = MemoryNodeServer.start(local.node(), serverSettings(), access)) {
            System.out.println("SERVES "
                    + new MemoryNodeAddress(
                            provider == null ? TcpFabric.SCHEME : RdmaFabricProvider.SCHEME, host(), server.port()));
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("STATUS")) {
                    System.out.println("STATUS " + text(local.node().status()));
                }
            }
        }
        return 0;
    }

    private String host() {
        return rdma.isEmpty() ? Ports.LOOPBACK : rdma;
    }

    private MemoryNodeServerSettings serverSettings() {
        MemoryNodeServerSettings.Builder settings = MemoryNodeServerSettings.builder()
                .host(host())
                .port(0)
                .transport(transport)
                .eventLoopPolling(Duration.ofNanos(pollMicros * 1000));
        return rdma.isEmpty()
                ? settings.build()
                : settings.handshakeTimeout(Tuning.SLOW)
                        .stallTimeout(Tuning.SLOW)
                        .build();
    }

    private static String text(MemoryNodeStatus status) {
        return status.recordsInUse() + " " + status.committedBytes() + " " + status.reclaimed();
    }
}
