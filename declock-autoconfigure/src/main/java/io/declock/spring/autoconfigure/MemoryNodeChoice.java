// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.MemoryNodeAddress;
import io.declock.spring.autoconfigure.DecLockProperties.Mode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.Environment;

/**
 * Which memory nodes this application uses: those that are configured, or one inside of it.
 *
 * @param addresses the configured ones, empty for none
 * @param embedded the one inside, null if there are configured ones
 */
record MemoryNodeChoice(
        List<MemoryNodeAddress> addresses, @Nullable EmbeddedMemoryNode embedded) {

    /**
     * Chooses.
     *
     * @throws MemoryNodesNotConfiguredException if memory nodes must be configured, and are not
     */
    static MemoryNodeChoice of(
            DecLockProperties properties, DecLockConnectionDetails details, Environment environment) {
        DecLockSettings.check(properties);
        List<MemoryNodeAddress> addresses = DecLockSettings.addresses(details.getMemoryNodes());
        Mode mode = properties.mode();
        if (!addresses.isEmpty()) {
            if (mode == Mode.EMBEDDED) {
                throw new InvalidDecLockPropertyException(
                        "declock.mode",
                        "embedded",
                        "memory nodes are configured (declock.memory-nodes="
                                + String.join(",", details.getMemoryNodes()) + ")",
                        "Remove one of the two.",
                        null);
            }
            return new MemoryNodeChoice(addresses, null);
        }
        if (mode == Mode.REMOTE) {
            throw new MemoryNodesNotConfiguredException(
                    "declock.mode=remote asks for configured ones.",
                    "Set declock.memory-nodes=tcp://host:7420, or remove declock.mode.");
        }
        // With port 0 the memory node is meant to be for this instance alone, wherever it runs.
        if (mode == Mode.AUTO && properties.embedded().port() != 0) {
            requireMachineOfItsOwn(environment);
        }
        return new MemoryNodeChoice(addresses, EmbeddedMemoryNode.of(properties, details));
    }

    private static void requireMachineOfItsOwn(Environment environment) {
        CloudPlatform platform = CloudPlatform.getActive(environment);
        String where = platform == CloudPlatform.NONE
                ? null
                : platform != null ? "on " + platform : inContainer(Containers.evidence());
        if (where != null) {
            throw new MemoryNodesNotConfiguredException(
                    "This application runs " + where
                            + ", where every instance would host a memory node of its own, and the"
                            + " instances would not exclude each other.",
                    "Run memory nodes and set declock.memory-nodes=tcp://host:7420 in every instance. If there is only ever one"
                            + " instance, set declock.mode=embedded.");
        }
    }

    private static @Nullable String inContainer(@Nullable String evidence) {
        return evidence == null ? null : "in a container (" + evidence + ")";
    }

    /** Returns the secret to use: the configured one, or the one that the embedded memory nodes of this user share. */
    @Nullable
    String secret(DecLockConnectionDetails details) {
        return embedded == null ? TcpFabricFactory.checkedSecret(details) : embedded.secret();
    }

    /** Returns what the embedded memory node is, for people, null if there is none. */
    @Nullable
    String describeEmbedded() {
        return embedded == null ? null : embedded.describe();
    }

    /** Returns whether a memory node is used by RDMA. */
    boolean usesRdma() {
        return addresses.stream().anyMatch(address -> address.scheme().equals(RdmaFabrics.SCHEME));
    }

    /** Returns how each memory node is called in health and metrics, in the order in which the compute node has them. */
    List<String> names() {
        return embedded != null
                ? List.of("embedded")
                : addresses.stream()
                        .map(address -> address.host() + ":" + address.port())
                        .toList();
    }
}
