// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.testkit.ChildProcess;
import io.declock.testkit.Ports;
import io.declock.testkit.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server on the loopback interface with a port of its own, or a memory node with the server beside it that has the values; the address is
 * then the memory node's, a space, and the other one's.
 */
public final class RunningServer implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(1);
    private static final List<String> JVM = List.of("-Xmx1g", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED");

    /** What is between the two addresses of a memory node and the server beside it. */
    public static final String ADDRESS_SEPARATOR = " ";

    /** Flags that Hazelcast documents for each JVM with a member. */
    public static final List<String> HAZELCAST_JVM = List.of(
            "--add-modules=java.se",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.management/sun.management=ALL-UNNAMED",
            "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");

    private final String address;
    private final @Nullable ChildProcess process;
    private final @Nullable RunningServer beside;
    private final @Nullable PostgresServer postgres;

    private RunningServer(String address, @Nullable ChildProcess process) {
        this(address, process, null, null);
    }

    private RunningServer(
            String address,
            @Nullable ChildProcess process,
            @Nullable RunningServer beside,
            @Nullable PostgresServer postgres) {
        this.address = address;
        this.process = process;
        this.beside = beside;
        this.postgres = postgres;
    }

    /**
     * Starts a server and waits until it serves.
     *
     * @param folder folder for its data and log
     * @param memoryNodeArguments options of the memory node, ignored by other servers
     */
    public static RunningServer start(ServerKind kind, Path folder, List<String> memoryNodeArguments)
            throws IOException, InterruptedException {
        return switch (kind) {
            case NONE -> new RunningServer("", null);
            case MEMORY_NODE -> memoryNode(folder, JVM, memoryNodeArguments);
            case REDIS -> redis(folder);
            case HAZELCAST -> hazelcast(folder);
            case ZOOKEEPER -> zooKeeper(folder);
            case ETCD -> etcd(folder);
            case MEMORY_NODE_AND_REDIS -> memoryNodeBeside(redis(folder), folder, memoryNodeArguments);
            case MEMORY_NODE_AND_POSTGRES -> memoryNodeBeside(postgres(), folder, memoryNodeArguments);
        };
    }

    private static RunningServer memoryNodeBeside(RunningServer beside, Path folder, List<String> arguments)
            throws IOException, InterruptedException {
        try {
            RunningServer node = memoryNode(folder, JVM, arguments);
            return new RunningServer(node.address + ADDRESS_SEPARATOR + beside.address, node.process, beside, null);
        } catch (IOException | InterruptedException | RuntimeException e) {
            beside.close();
            throw e;
        }
    }

    private static RunningServer postgres() throws IOException, InterruptedException {
        PostgresServer postgres = PostgresServer.startInstalled();
        String address = postgres.url() + "?user=" + postgres.user() + "&password=" + postgres.password();
        return new RunningServer(address, null, null, postgres);
    }

    /** Starts a memory node in a JVM with these arguments. */
    public static RunningServer memoryNode(Path folder, List<String> jvm, List<String> arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("memory-node"));
        command.addAll(arguments);
        ChildProcess process = Processes.startJava("memory-node", folder, jvm, command);
        return new RunningServer(await(process, "^SERVES (.*)"), process);
    }

    private static RunningServer redis(Path folder) throws IOException, InterruptedException {
        int port = Ports.free();
        ChildProcess process = Processes.start(
                "redis",
                folder,
                List.of(
                        "redis-server",
                        "--port",
                        String.valueOf(port),
                        "--bind",
                        Ports.LOOPBACK,
                        "--save",
                        "",
                        "--appendonly",
                        "no"));
        awaitAccepting(process, port);
        return new RunningServer("redis://" + Ports.LOOPBACK + ":" + port, process);
    }

    private static RunningServer hazelcast(Path folder) throws IOException, InterruptedException {
        List<String> jvm = new ArrayList<>(JVM);
        jvm.addAll(HAZELCAST_JVM);
        ChildProcess process = Processes.startJava("hazelcast-member", folder, jvm, List.of("hazelcast-member"));
        String port = awaitPort(process);
        return new RunningServer(Ports.LOOPBACK + ":" + port, process);
    }

    private static RunningServer zooKeeper(Path folder) throws IOException, InterruptedException {
        Path data = Files.createDirectories(folder.resolve("zookeeper-data"));
        ChildProcess process =
                Processes.startJava("zookeeper", folder, JVM, List.of("zookeeper", "--data", data.toString()));
        String port = awaitPort(process);
        return new RunningServer(Ports.LOOPBACK + ":" + port, process);
    }

    private static RunningServer etcd(Path folder) throws IOException, InterruptedException {
        List<Integer> ports = Ports.free(2);
        String client = "http://" + Ports.LOOPBACK + ":" + ports.get(0);
        String peer = "http://" + Ports.LOOPBACK + ":" + ports.get(1);
        ChildProcess process = Processes.start(
                "etcd",
                folder,
                List.of(
                        "etcd",
                        "--name",
                        "bench",
                        "--data-dir",
                        folder.resolve("etcd-data").toString(),
                        "--listen-client-urls",
                        client,
                        "--advertise-client-urls",
                        client,
                        "--listen-peer-urls",
                        peer,
                        "--initial-advertise-peer-urls",
                        peer,
                        "--initial-cluster",
                        "bench=" + peer));
        awaitAccepting(process, ports.get(0));
        return new RunningServer(client, process);
    }

    private static String awaitPort(ChildProcess process) throws InterruptedException {
        return await(process, "^PORT (.*)");
    }

    private static String await(ChildProcess process, String line) throws InterruptedException {
        try {
            return process.await(line, START).group(1);
        } catch (IllegalStateException | InterruptedException e) {
            process.close();
            throw e;
        }
    }

    private static void awaitAccepting(ChildProcess process, int port) throws InterruptedException {
        try {
            process.awaitPort(port, START);
        } catch (IllegalStateException | InterruptedException e) {
            process.close();
            throw e;
        }
    }

    /** Returns the address for clients. */
    public String address() {
        return address;
    }

    /** Returns its process, or null if there is none. */
    public @Nullable ChildProcess process() {
        return process;
    }

    /** Returns the CPU time it has used, with the server beside it. */
    public Duration cpuTime() {
        Duration own = process == null ? Duration.ZERO : process.cpuTime();
        Duration database = postgres == null ? Duration.ZERO : postgres.cpuTime();
        return own.plus(database).plus(beside == null ? Duration.ZERO : beside.cpuTime());
    }

    @Override
    public void close() {
        if (process != null) {
            process.end();
        }
        if (postgres != null) {
            postgres.close();
        }
        if (beside != null) {
            beside.close();
        }
    }
}
