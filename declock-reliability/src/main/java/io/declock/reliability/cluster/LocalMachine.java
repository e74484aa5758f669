// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.reliability.ledger.SectionRecord;
import io.declock.reliability.worker.Worker;
import io.declock.reliability.worker.WorkerOptions;
import io.declock.testkit.Commands;
import io.declock.testkit.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.h2.tools.Server;

/**
 * This machine as a place for the programs of one cluster: it has their directory and the workers' database, and starts them as processes
 * on the loopback interface. A platform says which programs there are and how they reach each other. For one thread.
 */
final class LocalMachine implements AutoCloseable {
    private static final Patience START = new Patience(Duration.ofSeconds(90));

    private final Site site;
    private final Server database;

    /**
     * Makes one that runs only the database.
     *
     * @param prefix what the name of the directory begins with
     */
    LocalMachine(String prefix, Duration lease) {
        try {
            Path directory = Files.createTempDirectory(prefix);
            this.database =
                    Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
            // Databases in memory belong to the whole JVM, so every cluster needs another name.
            this.site = new Site(
                    lease,
                    directory,
                    "jdbc:h2:tcp://127.0.0.1:" + database.getPort() + "/mem:" + directory.getFileName()
                            + ";DB_CLOSE_DELAY=-1");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    Site site() {
        return site;
    }

    /** Starts a program whose output goes to {@code name.log}. */
    Program start(String name, List<String> command) {
        return LocalProgram.start(name, site.directory(), false, command);
    }

    /**
     * Starts the program of a memory node, and waits until it listens.
     *
     * @param command can be added to
     */
    Program startMemoryNode(String name, List<String> command) {
        return startMemoryNode(name, command, Map.of());
    }

    /**
     * As above.
     *
     * @param environment environment variables that it has besides those of this process
     */
    Program startMemoryNode(String name, List<String> command, Map<String, String> environment) {
        Path portFile = site.directory().resolve(name + ".port");
        command.add("--declock.memory-node.port-file=" + portFile);
        Program program = LocalProgram.start(name, site.directory(), false, command, environment);
        START.until(
                () -> Files.exists(portFile),
                () -> !program.isAlive(),
                () -> name + " did not start:\n" + program.log());
        return program;
    }

    /**
     * Starts a worker.
     *
     * @param memoryNodes addresses of its memory nodes, with commas between them
     * @param more further arguments of its program
     */
    WorkerClient startWorker(String name, String memoryNodes, String... more) {
        return startWorker(Commands.classPath(), name, memoryNodes, more);
    }

    /**
     * Starts a worker with another class path.
     *
     * @param classPath what its program and the library are loaded from
     * @param memoryNodes addresses of its memory nodes, with commas between them
     * @param more further arguments of its program
     */
    WorkerClient startWorker(List<Path> classPath, String name, String memoryNodes, String... more) {
        List<String> arguments = WorkerOptions.arguments(
                name,
                memoryNodes,
                site.lease(),
                site.directory().resolve(name + SectionRecord.SUFFIX),
                site.databaseUrl());
        arguments.addAll(List.of(more));
        List<String> command = Commands.java(LocalProgram.JVM, classPath, Worker.class.getName(), arguments);
        return new WorkerClient(name, LocalProgram.start(name, site.directory(), true, command));
    }

    @Override
    public void close() {
        database.stop();
        Directories.delete(site.directory());
    }
}
