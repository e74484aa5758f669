// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.reliability.ledger.SectionRecord;
import io.declock.reliability.worker.Worker;
import io.declock.reliability.worker.WorkerOptions;
import io.declock.testkit.Commands;
import io.declock.testkit.Directories;
import io.declock.testkit.Ports;
import io.declock.testkit.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.h2.tools.Server;

/** Processes on the loopback interface, with a proxy between each worker and the memory node, and one in front of its peer port. */
public final class LocalPlatform implements Platform {
    private static final Duration START_PATIENCE = Duration.ofSeconds(90);

    private final Path directory;
    private final Duration lease;
    private final boolean keepsHolds;
    private final int memoryNodePort;
    private final Server databaseServer;

    /** Makes one that runs only the database. */
    public LocalPlatform(Duration lease) {
        this(lease, false);
    }

    /**
     * Makes one that runs only the database.
     *
     * @param keepsHolds whether the memory node has a state directory, so that holds outlive it
     */
    public LocalPlatform(Duration lease, boolean keepsHolds) {
        this.lease = lease;
        this.keepsHolds = keepsHolds;
        this.memoryNodePort = Ports.free();
        try {
            this.directory = Files.createTempDirectory("declock-reliability-");
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
        // Databases in memory belong to the whole JVM, so every cluster needs another name.
        return "jdbc:h2:tcp://127.0.0.1:" + databaseServer.getPort() + "/mem:" + directory.getFileName()
                + ";DB_CLOSE_DELAY=-1";
    }

    @Override
    public Program startMemoryNode(int life, boolean hadEarlierLife) {
        Path portFile = directory.resolve("memory-node-" + life + ".port");
        List<String> command = MemoryNodeCommand.of("mn", memoryNodePort, lease);
        command.addAll(List.of(
                "--declock.memory-node.port-file=" + portFile,
                "--declock.memory-node.wait-out-old-sessions=" + hadEarlierLife));
        if (keepsHolds) {
            command.add("--declock.memory-node.state-directory=" + directory.resolve("state"));
        }
        LocalProgram program = LocalProgram.start("memory-node-" + life, directory, false, command);
        long deadline = System.nanoTime() + START_PATIENCE.toNanos();
        while (!Files.exists(portFile)) {
            if (System.nanoTime() - deadline > 0 || !program.isAlive()) {
                throw new IllegalStateException("the memory node did not start:\n" + program.log());
            }
            Cluster.pause(Duration.ofMillis(10));
        }
        return program;
    }

    /** Finds the memory node's program, which another module builds. */
    public static Path memoryNodeJar() {
        String configured = System.getProperty("declock.memoryNodeJar");
        if (configured != null) {
            return Path.of(configured).toAbsolutePath();
        }
        for (Path target : List.of(Path.of("../declock-memory-node/target"), Path.of("declock-memory-node/target"))) {
            if (Files.isDirectory(target)) {
                try (Stream<Path> files = Files.list(target)) {
                    List<Path> jars = files.filter(file -> file.toString().endsWith("-exec.jar"))
                            .toList();
                    if (jars.size() == 1) {
                        return jars.get(0).toAbsolutePath().normalize();
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        throw new IllegalStateException(
                "no declock-memory-node-*-exec.jar: build it (mvn package), or set -Ddeclock.memoryNodeJar");
    }

    @Override
    public ProxiedNode launch(String name) {
        int peerPort = Ports.free();
        TcpProxy toMemoryNode = new TcpProxy(memoryNodePort);
        TcpProxy fromPeers = new TcpProxy(peerPort);
        List<String> arguments = WorkerOptions.arguments(
                name,
                "tcp://127.0.0.1:" + toMemoryNode.port(),
                lease,
                directory.resolve(name + SectionRecord.SUFFIX),
                databaseUrl());
        arguments.addAll(List.of("--peer-address=127.0.0.1:" + fromPeers.port(), "--peer-port=" + peerPort));
        Program program = LocalProgram.start(
                name, directory, true, Commands.java(LocalProgram.JVM, Worker.class.getName(), arguments));
        return new ProxiedNode(new WorkerClient(name, program), toMemoryNode, fromPeers);
    }

    @Override
    public void close() {
        databaseServer.stop();
        Directories.delete(directory);
    }
}
