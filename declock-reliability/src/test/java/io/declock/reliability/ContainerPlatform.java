// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.Ports;
import io.declock.reliability.cluster.Node;
import io.declock.reliability.cluster.Patience;
import io.declock.reliability.cluster.Platform;
import io.declock.reliability.cluster.Program;
import io.declock.reliability.cluster.Site;
import io.declock.reliability.cluster.WorkerClient;
import io.declock.reliability.ledger.SectionRecord;
import io.declock.reliability.worker.Tail;
import io.declock.reliability.worker.Worker;
import io.declock.reliability.worker.WorkerOptions;
import io.declock.testkit.Directories;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.BindMode;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * Containers on two networks: one for the locks, from which workers are cut off, and one for the database. Commands, answers and
 * ledgers are files of a directory that all share, so that no cut concerns them.
 */
final class ContainerPlatform implements Platform {
    private static final String SHARED = "/shared";
    private static final int LOCK_PORT = 7420;
    private static final int HEALTH_PORT = 7421;
    private static final int DATABASE_PORT = 9092;
    private static final Patience START = new Patience(Duration.ofSeconds(120));
    private static final String[] JVM = {
        "java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"
    };

    private final Duration lease;
    private final Path directory;
    private final Network locks = Network.newNetwork();
    private final Network accounts = Network.newNetwork();
    private final GenericContainer<?> database;
    private GenericContainer<?> memoryNode;

    ContainerPlatform(Duration lease) {
        this.lease = lease;
        try {
            this.directory = Files.createTempDirectory("declock-containers-");
            copyClassPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.database = java("org.h2.tools.Server", "-tcp", "-tcpAllowOthers", "-ifNotExists")
                .withNetwork(accounts)
                .withNetworkAliases("database")
                .withExposedPorts(DATABASE_PORT)
                // A port answers as soon as the container is there, whether the database listens or not.
                .waitingFor(Wait.forLogMessage(".*TCP server running.*", 1).withStartupTimeout(START.most()));
        database.start();
    }

    private void copyClassPath() throws IOException {
        Path lib = Files.createDirectories(directory.resolve("lib"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path from = Path.of(entry);
            if (Files.isRegularFile(from)) {
                // One name, one library: what stands first on the class path counts.
                Path to = lib.resolve(from.getFileName());
                if (!Files.exists(to)) {
                    Files.copy(from, to);
                }
            } else if (Files.isDirectory(from)) {
                copyTree(from, directory.resolve("classes"));
            }
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else if (!Files.exists(target)) {
                    Files.copy(file, target);
                }
            }
        }
    }

    private GenericContainer<?> java(String mainClass, String... arguments) {
        List<String> command = new ArrayList<>(List.of(JVM));
        command.addAll(List.of("-cp", SHARED + "/lib/*:" + SHARED + "/classes", mainClass));
        command.addAll(List.of(arguments));
        return new GenericContainer<>(DockerImageName.parse(Images.BASE))
                .withFileSystemBind(directory.toString(), SHARED, BindMode.READ_WRITE)
                .withCommand(command.toArray(new String[0]));
    }

    @Override
    public Site site() {
        return new Site(lease, directory, databaseUrl("127.0.0.1", database.getMappedPort(DATABASE_PORT)));
    }

    private static String databaseUrl(String host, int port) {
        return "jdbc:h2:tcp://" + host + ":" + port + "/mem:accounts;DB_CLOSE_DELAY=-1";
    }

    @Override
    public Program startMemoryNode(int life, boolean hadEarlierLife) {
        if (memoryNode == null) {
            memoryNode = new GenericContainer<>(DockerImageName.parse(Images.MEMORY_NODE))
                    .withNetwork(locks)
                    .withNetworkAliases("memory-node")
                    .withExposedPorts(HEALTH_PORT)
                    .withEnv("DECLOCK_MEMORYNODE_ID", "mn")
                    .withEnv("DECLOCK_MEMORYNODE_RECORDS", "1000")
                    .withEnv("DECLOCK_MEMORYNODE_MAXLEASE", lease.toMillis() + "ms")
                    .withEnv("DECLOCK_MEMORYNODE_FORMERLEASE", lease.toMillis() + "ms")
                    .withEnv("DECLOCK_MEMORYNODE_LEASEMARGIN", MARGIN.toMillis() + "ms")
                    .withEnv("SPRING_MAIN_LAZYINITIALIZATION", "true")
                    .withEnv("JAVA_TOOL_OPTIONS", "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1")
                    .waitingFor(Wait.forHttp("/actuator/health")
                            .forPort(HEALTH_PORT)
                            .withStartupTimeout(START.most()));
            memoryNode.start();
        } else {
            // The same container again, as an operator would start it: same address, empty memory.
            client().startContainerCmd(memoryNode.getContainerId()).exec();
            awaitHealth();
        }
        return new ContainerProgram(memoryNode, InputStream.nullInputStream(), OutputStream.nullOutputStream());
    }

    /** Waits until its health is answered at all: it may well be that it still waits for old leases to run out. */
    private void awaitHealth() {
        START.until(this::answersHealth, () -> "the memory node did not start again:\n" + memoryNode.getLogs());
    }

    private boolean answersHealth() {
        // A container that is started again has its ports mapped anew.
        Ports.Binding[] bindings = client().inspectContainerCmd(memoryNode.getContainerId())
                .exec()
                .getNetworkSettings()
                .getPorts()
                .getBindings()
                .get(ExposedPort.tcp(HEALTH_PORT));
        if (bindings == null || bindings.length == 0) {
            return false;
        }
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + bindings[0].getHostPortSpec() + "/actuator/health")
                            .toURL()
                            .openConnection();
            connection.setConnectTimeout(500);
            connection.setReadTimeout(2000);
            return connection.getResponseCode() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public Node launch(String name) {
        Path commands = directory.resolve(name + ".commands");
        Path answers = directory.resolve(name + ".answers");
        try {
            Files.createFile(commands);
            Files.createFile(answers);
            List<String> arguments = WorkerOptions.arguments(
                    name,
                    "tcp://memory-node:" + LOCK_PORT,
                    lease,
                    Path.of(SHARED, name + SectionRecord.SUFFIX),
                    databaseUrl("database", DATABASE_PORT));
            arguments.add("--commands=" + Path.of(SHARED, name + ".commands"));
            arguments.add("--answers=" + Path.of(SHARED, name + ".answers"));
            GenericContainer<?> container = java(Worker.class.getName(), arguments.toArray(new String[0]))
                    .withNetwork(locks)
                    .withCreateContainerCmdModifier((CreateContainerCmd create) ->
                            create.withName(name + "-" + ProcessHandle.current().pid()));
            container.start();
            client().connectToNetworkCmd()
                    .withContainerId(container.getContainerId())
                    .withNetworkId(accounts.getId())
                    .exec();
            return new ContainerNode(
                    new WorkerClient(
                            name,
                            new ContainerProgram(
                                    container,
                                    new Tail(answers),
                                    Files.newOutputStream(commands, StandardOpenOption.APPEND))),
                    container.getContainerId());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DockerClient client() {
        return DockerClientFactory.instance().client();
    }

    @Override
    public void close() {
        database.stop();
        locks.close();
        accounts.close();
        Directories.delete(directory);
    }

    private final class ContainerNode implements Node {
        private final WorkerClient worker;
        private final String container;

        ContainerNode(WorkerClient worker, String container) {
            this.worker = worker;
            this.container = container;
        }

        @Override
        public WorkerClient worker() {
            return worker;
        }

        @Override
        public void isolate() {
            client().disconnectFromNetworkCmd()
                    .withContainerId(container)
                    .withNetworkId(locks.getId())
                    .exec();
        }

        @Override
        public void heal() {
            client().connectToNetworkCmd()
                    .withContainerId(container)
                    .withNetworkId(locks.getId())
                    .exec();
        }

        @Override
        public void close() {
            worker.close();
        }
    }

    private record ContainerProgram(GenericContainer<?> container, InputStream answers, OutputStream commands)
            implements Program {
        @Override
        public void kill() {
            signal("KILL");
        }

        @Override
        public void terminate() {
            signal("TERM");
        }

        private void signal(String signal) {
            try {
                if (isAlive()) {
                    client().killContainerCmd(container.getContainerId())
                            .withSignal(signal)
                            .exec();
                }
            } catch (ConflictException e) {
                // It has ended by itself since.
            }
            START.until(() -> !isAlive(), () -> container.getContainerName() + " did not end");
        }

        @Override
        public void pause() {
            client().pauseContainerCmd(container.getContainerId()).exec();
        }

        @Override
        public void resume() {
            client().unpauseContainerCmd(container.getContainerId()).exec();
        }

        @Override
        public boolean isAlive() {
            InspectContainerResponse.ContainerState state = client().inspectContainerCmd(container.getContainerId())
                    .exec()
                    .getState();
            return Boolean.TRUE.equals(state.getRunning());
        }

        @Override
        public String log() {
            return container.getLogs();
        }

        @Override
        public void close() {
            container.stop();
            try {
                answers.close();
                commands.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
