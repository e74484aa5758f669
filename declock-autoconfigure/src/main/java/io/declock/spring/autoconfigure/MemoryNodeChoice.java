// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.InvalidSettingException;
import io.declock.MemoryNodeAddress;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.spring.autoconfigure.DecLockProperties.Mode;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.Environment;

/**
 * The memory nodes that this application uses: the configured ones, or an embedded one.
 *
 * @param addresses the addresses of the configured memory nodes, empty for none
 * @param embedded the embedded memory node, null if memory nodes are configured
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
        return of(properties, details, environment, Containers::evidence);
    }

    /**
     * As above.
     *
     * @param container finds the evidence that this process runs in a container, null for none
     */
    static MemoryNodeChoice of(
            DecLockProperties properties,
            DecLockConnectionDetails details,
            Environment environment,
            Supplier<@Nullable String> container) {
        List<MemoryNodeAddress> addresses = DecLockSettings.addresses(details.getMemoryNodes());
        Mode mode = properties.mode();
        if (!addresses.isEmpty()) {
            if (mode == Mode.EMBEDDED) {
                throw new InvalidSettingException(
                        "declock.mode",
                        "embedded",
                        "memory nodes are configured (declock.memory-nodes="
                                + String.join(",", details.getMemoryNodes()) + ")",
                        "Remove one of the two.");
            }
            return new MemoryNodeChoice(addresses, null);
        }
        if (mode == Mode.REMOTE) {
            throw new MemoryNodesNotConfiguredException(
                    "declock.mode=remote requires configured memory nodes.",
                    "Set declock.memory-nodes=tcp://host:7420, or remove declock.mode.");
        }
        // With port 0 the memory node is intended for this instance alone, wherever it runs.
        if (mode == Mode.AUTO && properties.embedded().port() != 0) {
            requireMachineOfItsOwn(environment, container);
        }
        return new MemoryNodeChoice(addresses, EmbeddedMemoryNode.of(properties, details));
    }

    private static void requireMachineOfItsOwn(Environment environment, Supplier<@Nullable String> container) {
        CloudPlatform platform = CloudPlatform.getActive(environment);
        String where = platform == CloudPlatform.NONE
                ? null
                : platform != null ? "on " + platform : inContainer(container.get());
        if (where != null) {
            throw new MemoryNodesNotConfiguredException(
                    "This application runs " + where
                            + ", where every instance would host a memory node of its own, so the"
                            + " instances would not exclude each other.",
                    "Run memory nodes and set declock.memory-nodes=tcp://host:7420 in every instance. If there is never more than one"
                            + " instance, set declock.mode=embedded.");
        }
    }

    private static @Nullable String inContainer(@Nullable String evidence) {
        return evidence == null ? null : "in a container (" + evidence + ")";
    }

    /** Returns the secret to use: the configured one, or the one shared by this user's embedded memory nodes. */
    @Nullable
    String secret(DecLockConnectionDetails details) {
        return embedded == null ? details.getSecret() : embedded.secret();
    }

    /** Returns a description of the embedded memory node for people, null if there is none. */
    @Nullable
    String describeEmbedded() {
        return embedded == null ? null : embedded.describe();
    }

    /** Returns whether any memory node is reached by RDMA. */
    boolean usesRdma() {
        return addresses.stream().anyMatch(address -> address.scheme().equals(RdmaFabricProvider.SCHEME));
    }

    /** Returns whether the memory node is an embedded one. */
    boolean isEmbedded() {
        return embedded != null;
    }

    /** Returns each configured memory node's name in health and metrics. */
    List<String> names() {
        return embedded != null
                ? List.of("embedded")
                : addresses.stream()
                        .map(address -> address.host() + ":" + address.port())
                        .toList();
    }
}
