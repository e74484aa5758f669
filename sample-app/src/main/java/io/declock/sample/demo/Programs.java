// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The commands of the demonstration's programs. All programs listen on the loopback interface only, on ports that were free before;
 * with RDMA the memory node listens on the device's address, which then carries the lock operations.
 *
 * @param java the JVM's launcher
 * @param memoryNode executable jar of the memory node
 * @param shop executable jar of the shop
 */
record Programs(Path java, Path memoryNode, Path shop) {
    /** For a quick start and little memory: no process runs long enough to profit from a large heap or the second compiler. */
    private static final List<String> JVM =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    /** The system chooses one, and the program writes it to a file. */
    private static final int ANY_PORT = 0;

    /** Lease of a term of the memory node's candidates. */
    private static final Duration TERM = Duration.ofSeconds(2);

    /**
     * Lease of a shop in runs with faults: longer than the memory node's program takes to start again, and than one candidate takes to follow
     * the other, so that the shop keeps its locks meanwhile.
     */
    static final Duration FAULTS_LEASE = Duration.ofSeconds(15);

    /** What a memory node is told so that it grants such a lease. */
    private static final List<String> LEASES = List.of(
            "--declock.memory-node.max-lease=" + FAULTS_LEASE.toMillis() + "ms",
            "--declock.memory-node.former-lease=" + FAULTS_LEASE.toMillis() + "ms");

    /** Finds them through the system properties that the script sets. */
    static Programs find() {
        return new Programs(
                Path.of(System.getProperty("java.home"), "bin", "java"), jar("demo.memory-node"), jar("demo.shop"));
    }

    private static Path jar(String property) {
        String value = System.getProperty(property);
        if (value == null || !Files.isRegularFile(Path.of(value))) {
            throw new DemoFailedException("-D" + property + " must name an executable jar, not " + value
                    + "; the script ./demo builds the jars and sets it");
        }
        return Path.of(value).toAbsolutePath();
    }

    /**
     * Returns the command of a memory node.
     *
     * @param state directory in which it writes down which shops have joined, so that it restores their locks when it is started again
     * @param port its port, 0 for any
     * @param consolePort port of its console
     * @param hadEarlierLife whether locks of an earlier incarnation may be held; false if no process knew the port
     */
    List<String> memoryNode(
            Path temporary,
            DemoOptions options,
            Path state,
            Path portFile,
            int port,
            int consolePort,
            boolean hadEarlierLife) {
        List<String> command = command(
                temporary,
                memoryNode,
                consolePort,
                "--declock.memory-node.id=demo",
                "--declock.memory-node.bind-address=" + memoryNodeHost(options),
                "--declock.memory-node.state-directory=" + state,
                "--declock.memory-node.port=" + port,
                "--declock.memory-node.port-file=" + portFile,
                "--declock.memory-node.wait-out-old-sessions=" + hadEarlierLife,
                "--declock.memory-node.records=10000");
        if (options.injectsFaults()) {
            command.addAll(LEASES);
        }
        if (overRdma(options)) {
            command.add("--declock.memory-node.rdma.enabled=true");
            command.add("--declock.memory-node.rdma.address=" + options.rdma());
        }
        return command;
    }

    /** Returns the command of a candidate of a memory node with a stand-by, which a database elects. */
    List<String> candidate(
            Path temporary, Path portFile, List<Integer> ports, int consolePort, int number, String engineUrl) {
        List<String> command = command(
                temporary,
                memoryNode,
                consolePort,
                "--declock.memory-node.id=demo",
                "--declock.memory-node.bind-address=127.0.0.1",
                "--declock.memory-node.port=" + ports.get(number),
                "--declock.memory-node.port-file=" + portFile,
                "--declock.memory-node.wait-out-old-sessions=false",
                "--declock.memory-node.records=10000",
                "--declock.memory-node.election.engine=jdbc",
                "--declock.memory-node.election.lease=" + TERM.toMillis() + "ms",
                "--declock.memory-node.election.address=tcp://127.0.0.1:" + ports.get(number),
                "--declock.memory-node.election.candidates=tcp://127.0.0.1:" + ports.get(0) + ",tcp://127.0.0.1:"
                        + ports.get(1),
                "--declock.memory-node.election.jdbc.url=" + engineUrl,
                "--declock.memory-node.election.jdbc.username=sa");
        command.addAll(LEASES);
        return command;
    }

    private static boolean overRdma(DemoOptions options) {
        return !options.rdma().isEmpty();
    }

    private static String memoryNodeHost(DemoOptions options) {
        return overRdma(options) ? options.rdma() : "127.0.0.1";
    }

    /** Returns the command of a shop; several ports are those of the memory node's candidates. */
    List<String> shop(Path temporary, String name, DemoOptions options, Path database, List<Integer> memoryNodePorts) {
        String addresses = memoryNodePorts.stream()
                .map(port -> memoryNodeHost(options) + ":" + port)
                .collect(Collectors.joining("|"));
        List<String> command = command(
                temporary,
                shop,
                ANY_PORT,
                "--shop.instance=" + name,
                "--shop.locking=" + (options.locking() ? "on" : "off"),
                "--shop.products=" + options.products(),
                "--shop.stock=" + options.stock(),
                "--shop.database=" + database,
                "--declock.memory-nodes=" + (overRdma(options) ? "rdma" : "tcp") + "://" + addresses,
                "--declock.node-name=" + name);
        if (options.injectsFaults()) {
            command.add("--declock.lease=" + FAULTS_LEASE.toMillis() + "ms");
        }
        return command;
    }

    private List<String> command(Path temporary, Path jar, int webPort, String... arguments) {
        List<String> command = new ArrayList<>(List.of(java.toString()));
        command.addAll(JVM);
        // An archive made with -XX:ArchiveClassesAtExit shortens starts on slow processors.
        Path archive = Path.of(jar + ".jsa");
        if (Files.isReadable(archive)) {
            command.add("-XX:SharedArchiveFile=" + archive);
        }
        // The temporary directory is deleted even if the process cannot do so itself.
        command.add("-Djava.io.tmpdir=" + temporary);
        command.addAll(List.of("-jar", jar.toString(), "--server.port=" + webPort, "--server.address=127.0.0.1"));
        command.addAll(List.of(arguments));
        return command;
    }
}
