// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeServer;
import io.declock.internal.memorynode.MemoryNodeServerSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A memory node that serves RDMA in a process of its own, which can be stopped and killed. */
final class MemoryNodeProcess implements AutoCloseable {
    private static final String READY = "ready ";

    private final Process process;
    private final int port;

    MemoryNodeProcess() throws IOException {
        process = new ProcessBuilder(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemoryNodeProcess.class.getName()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        // Not closed: the process would end with its standard output's reader.
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = output.readLine();
        while (line != null && !line.startsWith(READY)) {
            line = output.readLine();
        }
        if (line == null) {
            throw new IOException("the memory node's process ended before it was ready");
        }
        port = Integer.parseInt(line.substring(READY.length()));
    }

    int port() {
        return port;
    }

    /** Sends the process a signal. */
    void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new IOException("kill -" + name + " failed");
        }
    }

    /** Kills the process and waits until it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The process: serves until its standard input ends. */
    public static void main(String[] arguments) throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        RdmaMemory memory = new RdmaMemory();
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.withId("mn-1").withSize(10_000, 8).withWaitOutOldSessions(false),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                memory);
        RdmaServer rdma = RdmaServer.start(node, memory, RdmaRig.backend(), RdmaRig.settings(), 0);
        MemoryNodeServer server =
                MemoryNodeServer.start(node, MemoryNodeServerSettings.DEFAULTS.withAddress(RdmaRig.host(), 0), rdma);
        System.out.println(READY + server.port());
        while (System.in.read() >= 0) {
            // Nothing is ever written.
        }
        System.exit(0);
    }
}
