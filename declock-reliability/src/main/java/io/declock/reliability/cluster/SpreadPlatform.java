// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.reliability.ledger.SectionRecord;
import io.declock.reliability.worker.Worker;
import io.declock.reliability.worker.WorkerOptions;
import io.declock.testkit.Commands;
import io.declock.testkit.Directories;
import io.declock.testkit.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.h2.tools.Server;

/** Processes on the loopback interface, with several memory nodes, each with a state directory. For one thread. */
public final class SpreadPlatform implements Platform {
    /** How many memory nodes there are. */
    public static final int MEMORY_NODES = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final Duration COMMAND_PATIENCE = Duration.ofSeconds(90);

    private final Path directory;
    private final Duration lease;
    private final int used;
    private final List<Integer> ports = Ports.free(MEMORY_NODES);
    private final List<Program> programs = new ArrayList<>();
    private final Server databaseServer;
    private int starts;

    /** Makes one that runs only the workers' database, and whose workers use all memory nodes. */
    public SpreadPlatform(Duration lease) {
        this(lease, MEMORY_NODES);
    }

    /**
     * Makes one that runs only the workers' database.
     *
     * @param used how many of the memory nodes, the first ones, workers are configured with
     */
    public SpreadPlatform(Duration lease, int used) {
        this.lease = lease;
        this.used = used;
        try {
            this.directory = Files.createTempDirectory("declock-spread-");
            this.databaseServer =
                    Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Duration lease() {
        return lease;
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public String databaseUrl() {
        return "jdbc:h2:tcp://127.0.0.1:" + databaseServer.getPort() + "/mem:" + directory.getFileName()
                + ";DB_CLOSE_DELAY=-1";
    }

    /** Starts all memory nodes. */
    @Override
    public Program startMemoryNode(int life, boolean hadEarlierLife) {
        for (int i = 0; i < MEMORY_NODES; i++) {
            programs.add(launchMemoryNode(i));
        }
        return new AllPrograms(programs);
    }

    private Program launchMemoryNode(int index) {
        String name = "memory-node-" + index + "-" + ++starts;
        Path portFile = directory.resolve(name + ".port");
        List<String> command = MemoryNodeCommand.of("mn-" + index, ports.get(index), lease);
        command.addAll(List.of(
                "--declock.memory-node.port-file=" + portFile,
                "--declock.memory-node.wait-out-old-sessions=false",
                "--declock.memory-node.state-directory=" + directory.resolve("state-" + index)));
        LocalProgram program = LocalProgram.start(name, directory, false, command);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.exists(portFile)) {
            if (System.nanoTime() - deadline > 0 || !program.isAlive()) {
                throw new IllegalStateException("memory node " + index + " did not start:\n" + program.log());
            }
            Cluster.pause(Duration.ofMillis(10));
        }
        return program;
    }

    /** Tells a memory node to end, and starts it again when it has. */
    public void restart(int index) {
        programs.get(index).terminate();
        programs.set(index, launchMemoryNode(index));
    }

    /** Tells a memory node to end. */
    public void stop(int index) {
        programs.get(index).terminate();
    }

    /** Returns the address of a memory node. */
    public String address(int index) {
        return "tcp://127.0.0.1:" + ports.get(index);
    }

    /**
     * Runs the memory node's program to show or change which memory nodes are used, and returns what it says.
     *
     * @throws IllegalStateException if it does not end in order
     */
    public String nodes(String... words) {
        List<String> command = Commands.java(List.of());
        command.addAll(List.of("-jar", LocalPlatform.memoryNodeJar().toString(), "nodes"));
        command.addAll(List.of(words));
        command.add("--memory-nodes=" + addresses(used));
        String name = "nodes-" + ++starts;
        LocalProgram program = LocalProgram.start(name, directory, false, command);
        long deadline = System.nanoTime() + COMMAND_PATIENCE.toNanos();
        while (program.isAlive()) {
            if (System.nanoTime() - deadline > 0) {
                program.terminate();
                throw new IllegalStateException("'nodes' did not end:\n" + program.log());
            }
            Cluster.pause(Duration.ofMillis(10));
        }
        return program.log();
    }

    private String addresses(int count) {
        return ports.stream()
                .limit(count)
                .map(port -> "tcp://127.0.0.1:" + port)
                .collect(Collectors.joining(","));
    }

    @Override
    public Node launch(String name) {
        String addresses = addresses(used);
        List<String> arguments = WorkerOptions.arguments(
                name, addresses, lease, directory.resolve(name + SectionRecord.SUFFIX), databaseUrl());
        Program program = LocalProgram.start(
                name, directory, true, Commands.java(LocalProgram.JVM, Worker.class.getName(), arguments));
        return new PlainNode(new WorkerClient(name, program));
    }

    @Override
    public void close() {
        databaseServer.stop();
        Directories.delete(directory);
    }
}
