// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.testkit.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Processes on the loopback interface, with several memory nodes, each with a state directory. For one thread. */
public final class SpreadPlatform implements Platform {
    /** How many memory nodes there are. */
    public static final int MEMORY_NODES = 3;

    private static final Patience COMMAND = new Patience(Duration.ofSeconds(90));

    private final LocalMachine machine;
    private final int used;
    private final List<Integer> ports = Ports.free(MEMORY_NODES);
    private final List<Integer> managementPorts = Ports.free(MEMORY_NODES);
    private final List<Program> programs = new ArrayList<>();
    private final List<Map<String, String>> environments;
    private final @Nullable String secret;
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
        this(lease, used, List.of(), null);
    }

    /**
     * Makes one that runs only the workers' database, and whose memory nodes are configured by their environments alone, but for where
     * they listen and keep their state.
     *
     * @param environments environment variables of each memory node
     * @param secret the secret that workers use
     */
    public SpreadPlatform(Duration lease, List<Map<String, String>> environments, String secret) {
        this(lease, MEMORY_NODES, environments, secret);
    }

    private SpreadPlatform(Duration lease, int used, List<Map<String, String>> environments, @Nullable String secret) {
        this.machine = new LocalMachine("declock-spread-", lease);
        this.used = used;
        this.environments = List.copyOf(environments);
        this.secret = secret;
    }

    @Override
    public Site site() {
        return machine.site();
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
        if (!environments.isEmpty()) {
            return machine.startMemoryNode(name, placed(index), environments.get(index));
        }
        List<String> command = MemoryNodeCommand.of("mn-" + index, ports.get(index), site().lease());
        command.addAll(List.of(
                "--declock.memory-node.wait-out-old-sessions=false",
                "--declock.memory-node.state-directory=" + site().directory().resolve("state-" + index)));
        return machine.startMemoryNode(name, command);
    }

    /** The command of a memory node that has its settings from its environment: only its place is given. */
    private List<String> placed(int index) {
        List<String> command = MemoryNodeJar.start();
        command.addAll(List.of(
                "--server.address=127.0.0.1",
                "--server.port=" + managementPorts.get(index),
                "--declock.memory-node.bind-address=127.0.0.1",
                "--declock.memory-node.port=" + ports.get(index),
                "--declock.memory-node.state-directory=" + site().directory().resolve("state-" + index)));
        return command;
    }

    /** Returns the port of a memory node's health, if it is configured by its environment. */
    public int managementPort(int index) {
        return managementPorts.get(index);
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
        List<String> command = MemoryNodeJar.start();
        command.add("nodes");
        command.addAll(List.of(words));
        command.add("--memory-nodes=" + addresses(used));
        Program program = machine.start("nodes-" + ++starts, command);
        try {
            COMMAND.until(() -> !program.isAlive(), () -> "'nodes' did not end:\n" + program.log());
        } finally {
            program.close();
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
        String[] more = secret == null ? new String[0] : new String[] {"--secret=" + secret};
        return new PlainNode(machine.startWorker(name, addresses(used), more));
    }

    @Override
    public void close() {
        machine.close();
    }
}
