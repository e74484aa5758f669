// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.time.Duration;
import java.util.List;

/** Command lines of the memory node's program as a process of this machine. Stateless. */
final class MemoryNodeCommand {
    private MemoryNodeCommand() {}

    /** Returns one, to which arguments can be added. */
    static List<String> of(String id, int port, Duration lease) {
        List<String> command = MemoryNodeJar.start("-Dspring.main.lazy-initialization=true");
        command.addAll(List.of("--server.port=0", "--server.address=127.0.0.1"));
        command.addAll(arguments(id, port, lease));
        return command;
    }

    /** Returns the arguments that tell the program what kind of memory node it is. */
    static List<String> arguments(String id, int port, Duration lease) {
        return List.of(
                "--declock.memory-node.id=" + id,
                "--declock.memory-node.bind-address=127.0.0.1",
                "--declock.memory-node.port=" + port,
                "--declock.memory-node.records=1000",
                "--declock.memory-node.max-lease=" + lease.toMillis() + "ms",
                "--declock.memory-node.former-lease=" + lease.toMillis() + "ms",
                "--declock.memory-node.lease-margin=" + Platform.MARGIN.toMillis() + "ms");
    }
}
