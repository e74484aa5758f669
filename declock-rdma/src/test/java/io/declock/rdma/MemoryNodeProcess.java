// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Commands;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A memory node that serves RDMA in a process of its own, which can be stopped and killed. */
final class MemoryNodeProcess implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(90);

    private final ChildProcess process;
    private final int port;

    MemoryNodeProcess() throws IOException, InterruptedException {
        List<String> options = List.of(
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "--enable-native-access=ALL-UNNAMED");
        List<String> command = Commands.java(options, MemoryNodeProcess.class.getName(), List.of());
        process = ChildProcess.echoed("memory-node", new ProcessBuilder(command), "^Exception in thread");
        port = Integer.parseInt(process.await("^ready (\\d+)", START).group(1));
    }

    int port() {
        return port;
    }

    ChildProcess process() {
        return process;
    }

    @Override
    public void close() {
        process.close();
    }

    /** The process: serves until its standard input ends. */
    public static void main(String[] arguments) throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        RdmaMemory memory = new RdmaMemory();
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.builder("mn-1")
                        .records(10_000)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                memory);
        RdmaServer rdma = RdmaServer.start(node, memory, RdmaRig.backend(), RdmaRig.settings(), 0);
        MemoryNodeServer server = MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder().host(RdmaRig.host()).port(0).build(),
                rdma);
        System.out.println("ready " + server.port());
        while (System.in.read() >= 0) {
            // Nothing is ever written.
        }
        System.exit(0);
    }
}
