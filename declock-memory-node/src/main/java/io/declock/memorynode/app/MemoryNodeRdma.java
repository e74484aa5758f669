// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.internal.RdmaModule;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.RdmaAccessProvider;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.spi.AdapterException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The memory node's access by RDMA, from the module {@code declock-rdma}. Not thread-safe. */
final class MemoryNodeRdma {
    private final MemoryNodeProperties.Rdma properties;
    private final RdmaAccessProvider provider;
    /** Of the present life, or the next one. */
    private RegionMemory memory;

    private MemoryNodeRdma(MemoryNodeProperties.Rdma properties) {
        this.properties = properties;
        this.provider = provider();
        this.memory = provider.memory();
    }

    /** Prepares RDMA, or returns null if it is not enabled. */
    static @Nullable MemoryNodeRdma of(MemoryNodeProperties.Rdma properties) {
        return properties.enabled() ? new MemoryNodeRdma(properties) : null;
    }

    private static RdmaAccessProvider provider() {
        try {
            return RdmaModule.find(RdmaAccessProvider.class)
                    .orElseThrow(() -> new MemoryNodeStartException(
                            "declock.memory-node.rdma.enabled is true, but the module declock-rdma is not on the class path.",
                            "Use the memory node's jar as it is published, or add io.declock:declock-rdma."));
        } catch (AdapterException e) {
            throw new MemoryNodeStartException(String.valueOf(e.getMessage()), e.action(), e);
        }
    }

    /** Returns the memory for the region of the next life. */
    RegionMemory nextMemory() {
        memory = provider.memory();
        return memory;
    }

    /** Starts to serve the memory node's region. */
    RdmaAccess start(MemoryNode node) {
        try {
            return provider.start(node, memory, options());
        } catch (AdapterException e) {
            throw new MemoryNodeStartException(String.valueOf(e.getMessage()), e.action(), e);
        }
    }

    private Map<String, String> options() {
        Map<String, String> options = new LinkedHashMap<>();
        put(options, "device", properties.device());
        put(options, "port", properties.port());
        put(options, "gid-index", properties.gidIndex());
        put(options, "address", properties.address());
        put(options, "listen-port", properties.listenPort());
        put(options, "ack-timeout", properties.ackTimeout());
        put(options, "retry-count", properties.retryCount());
        put(options, "max-reads-and-atomics", properties.maxReadsAndAtomics());
        return options;
    }

    private static void put(Map<String, String> options, String name, @Nullable Object value) {
        if (value != null && !value.toString().isEmpty()) {
            options.put(name, value.toString());
        }
    }
}
