// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.worker;

import io.declock.MemoryNodeAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a worker.
 *
 * @param name its name
 * @param memoryNode address of its memory node
 * @param lease lease that it requests; heartbeats and margin follow from it
 * @param ledger file to which its critical sections are written
 * @param sections number of sections that fit into the ledger
 * @param database JDBC URL of the accounts
 * @param peerAddress host and port to advertise to peers, null for the address of the connection to the memory node
 * @param peerPort port to listen on for peers, 0 for any
 * @param commands file, usually a named pipe, to read commands from; null for standard input
 * @param answers file, usually a named pipe, to write answers to; null for standard output
 */
public record WorkerOptions(
        String name,
        MemoryNodeAddress memoryNode,
        Duration lease,
        Path ledger,
        int sections,
        String database,
        @Nullable String peerAddress,
        int peerPort,
        @Nullable Path commands,
        @Nullable Path answers) {

    static WorkerOptions parse(String[] arguments) {
        Map<String, String> values = new HashMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            values.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        String commands = values.get("commands");
        String answers = values.get("answers");
        return new WorkerOptions(
                need(values, "name"),
                MemoryNodeAddress.parse(need(values, "memory-node")),
                Duration.ofMillis(Long.parseLong(need(values, "lease-millis"))),
                Path.of(need(values, "ledger")),
                Integer.parseInt(need(values, "sections")),
                need(values, "database"),
                values.get("peer-address"),
                Integer.parseInt(values.getOrDefault("peer-port", "0")),
                commands == null ? null : Path.of(commands),
                answers == null ? null : Path.of(answers));
    }

    private static String need(Map<String, String> values, String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("a worker needs " + key + "=");
        }
        return value;
    }

    /** Returns the arguments that {@link Worker} understands. */
    public List<String> toArguments() {
        List<String> arguments = new ArrayList<>(List.of(
                "name=" + name,
                "memory-node=" + memoryNode,
                "lease-millis=" + lease.toMillis(),
                "ledger=" + ledger,
                "sections=" + sections,
                "database=" + database,
                "peer-port=" + peerPort));
        if (peerAddress != null) {
            arguments.add("peer-address=" + peerAddress);
        }
        if (commands != null && answers != null) {
            arguments.add("commands=" + commands);
            arguments.add("answers=" + answers);
        }
        return arguments;
    }
}
