// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.MemoryNodeAddress;
import io.declock.reliability.ledger.SectionRecord;
import io.declock.reliability.worker.Worker;
import io.declock.reliability.worker.WorkerOptions;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.h2.tools.Server;

/** Processes on the loopback interface, with a proxy between each worker and the memory node, and one in front of its peer port. */
public final class LocalPlatform implements Platform {
    private static final Duration START_PATIENCE = Duration.ofSeconds(90);

    /** These ports lie below the range from which Linux takes the ports of outgoing connections. */
    private static final int FIRST_PORT = 20_000;

    private static final int LAST_PORT = 32_000;
    private static final int PORT_ATTEMPTS = 100;

    private final Path directory;
    private final Duration lease;
    private final int memoryNodePort;
    private final Server databaseServer;

    /** Makes one that runs only the database. */
    public LocalPlatform(Duration lease) {
        this.lease = lease;
        this.memoryNodePort = freePort();
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
        LocalProgram program = LocalProgram.java(
                "memory-node-" + life,
                directory,
                false,
                List.of(
                        "-Dspring.main.lazy-initialization=true",
                        "-jar",
                        memoryNodeJar().toString(),
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--declock.memory-node.id=mn",
                        "--declock.memory-node.bind-address=127.0.0.1",
                        "--declock.memory-node.port=" + memoryNodePort,
                        "--declock.memory-node.port-file=" + portFile,
                        "--declock.memory-node.records=1000",
                        "--declock.memory-node.max-lease=" + lease.toMillis() + "ms",
                        "--declock.memory-node.former-lease=" + lease.toMillis() + "ms",
                        "--declock.memory-node.lease-margin=" + MARGIN.toMillis() + "ms",
                        "--declock.memory-node.wait-out-old-sessions=" + hadEarlierLife));
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
        int peerPort = freePort();
        Proxy toMemoryNode = new Proxy(memoryNodePort);
        Proxy fromPeers = new Proxy(peerPort);
        WorkerOptions options = new WorkerOptions(
                name,
                MemoryNodeAddress.parse("tcp://127.0.0.1:" + toMemoryNode.port()),
                lease,
                directory.resolve(name + SectionRecord.SUFFIX),
                SECTIONS,
                databaseUrl(),
                "127.0.0.1:" + fromPeers.port(),
                peerPort,
                null,
                null);
        List<String> arguments = new ArrayList<>(List.of("-cp", classPath(), Worker.class.getName()));
        arguments.addAll(options.toArguments());
        Program program = LocalProgram.java(name, directory, true, arguments);
        return new ProxiedNode(new WorkerClient(name, program), toMemoryNode, fromPeers);
    }

    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Finds a port that is not in use, and that the kernel does not assign to outgoing connections: a memory node that is started again
     * must find its port free, and a process that connects to it meanwhile must not be connected to itself.
     */
    static int freePort() {
        return freePort(() -> ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT));
    }

    /** Finds a free port among candidates. */
    static int freePort(IntSupplier candidates) {
        for (int attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
            int port = candidates.getAsInt();
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // The port is in use.
            }
        }
        throw new IllegalStateException("no free port from " + FIRST_PORT + " to " + LAST_PORT);
    }

    @Override
    public void close() {
        databaseServer.stop();
        delete(directory);
    }

    /** Deletes a directory and its contents. */
    public static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
