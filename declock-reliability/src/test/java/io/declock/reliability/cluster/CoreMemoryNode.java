// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.Term;
import io.declock.internal.state.MemberFile;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.testkit.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A memory node with a state directory, as a program that needs nothing but {@code declock-core}, of whichever release is on its class path. It
 * is compiled against the present release and takes some of the arguments of the memory node's own program. What it calls has been the
 * same since version 4 of the wire protocol; where a later release changes that, a former release needs a program of its own.
 */
final class CoreMemoryNode {
    private static final String PREFIX = "--declock.memory-node.";

    private final Map<String, String> arguments = new HashMap<>();

    private CoreMemoryNode(String... arguments) {
        Arrays.stream(arguments)
                .map(argument -> argument.substring(PREFIX.length()).split("=", 2))
                .forEach(words -> this.arguments.put(words[0], words[1]));
    }

    private String text(String name) {
        String value = arguments.get(name);
        if (value == null) {
            throw new IllegalArgumentException(PREFIX + name + " is missing");
        }
        return value;
    }

    private Duration millis(String name) {
        return Duration.ofMillis(Long.parseLong(text(name).replace("ms", "")));
    }

    private MemoryNodeSettings settings() {
        return MemoryNodeSettings.builder(text("id"))
                .records(Integer.parseInt(text("records")))
                .maxLease(millis("max-lease"))
                .formerLease(millis("former-lease"))
                .leaseMargin(millis("lease-margin"))
                .waitOutOldSessions(Boolean.parseBoolean(text("wait-out-old-sessions")))
                .build();
    }

    private void serve() throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        SecureRandom random = new SecureRandom();
        MemoryNode node = MemoryNode.create(
                settings(),
                System::nanoTime,
                (delay, task) -> {
                    if (!timer.isShutdown()) {
                        timer.schedule(task, delay, TimeUnit.NANOSECONDS);
                    }
                },
                random::nextLong,
                null,
                MemberFile.open(Path.of(text("state-directory")), text("id")),
                Term.UNLIMITED);
        MemoryNodeServer server = MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder()
                        .host(Ports.LOOPBACK)
                        .port(Integer.parseInt(text("port")))
                        .build());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            node.close();
            server.close();
            timer.shutdownNow();
        }));
        Files.writeString(Path.of(text("port-file")), Integer.toString(server.port()));
    }

    /** Serves until it is told to end. */
    public static void main(String... arguments) throws Exception {
        new CoreMemoryNode(arguments).serve();
    }
}
