// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal;

import io.declock.ComputeNodeSettings;
import io.declock.DecLock;
import io.declock.DecLockException;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import io.declock.spi.LockObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Opens a compute node with the fabrics that serve its addresses. Stateless. */
public final class Opening {
    private Opening() {}

    /**
     * Opens and starts a compute node.
     *
     * @param completions completes the stages of asynchronous acquisitions; null for the library's own threads
     * @throws IllegalArgumentException if there is no memory node, or no fabric for one
     * @throws DecLockException if a fabric cannot be opened
     */
    public static DecLock open(
            List<MemoryNodeAddress> addresses,
            List<Fabric> own,
            TcpFabricSettings tcp,
            Map<String, String> rdma,
            ComputeNodeSettings settings,
            LockObserver observer,
            @Nullable Executor completions) {
        NodeCounters counters = new NodeCounters();
        List<Fabric> fabrics = new ArrayList<>(own);
        try {
            for (MemoryNodeAddress address : addresses) {
                if (fabrics.stream().noneMatch(fabric -> fabric.supports(address))) {
                    fabrics.add(openFor(address, tcp, rdma, counters));
                }
            }
            ComputeNode.Builder builder = ComputeNode.builder()
                    .memoryNodes(addresses)
                    .counters(counters)
                    .settings(settings)
                    .observer(observer)
                    .completions(completions);
            fabrics.forEach(builder::fabric);
            ComputeNode node = builder.build();
            node.start();
            return node;
        } catch (RuntimeException | Error e) {
            fabrics.forEach(Fabric::close);
            throw e;
        }
    }

    private static Fabric openFor(
            MemoryNodeAddress address, TcpFabricSettings tcp, Map<String, String> rdma, NodeCounters counters) {
        if (address.scheme().equals(TcpFabric.SCHEME)) {
            return TcpFabric.open(tcp, counters);
        }
        RdmaFabricProvider provider = providerFor(address);
        TcpFabric control = TcpFabric.open(tcp, counters);
        try {
            return provider.open(rdma, control, counters);
        } catch (AdapterException e) {
            control.close();
            throw unusable(address, e);
        } catch (RuntimeException | Error e) {
            control.close();
            throw e;
        }
    }

    private static RdmaFabricProvider providerFor(MemoryNodeAddress address) {
        if (address.scheme().equals(RdmaFabricProvider.SCHEME)) {
            try {
                Optional<RdmaFabricProvider> found = RdmaModule.find(RdmaFabricProvider.class);
                if (found.isPresent()) {
                    return found.get();
                }
            } catch (AdapterException e) {
                throw unusable(address, e);
            }
        }
        throw new IllegalArgumentException("no fabric for memory node " + address + ": its scheme is '"
                + address.scheme() + "'; tcp is built in, rdma needs the module declock-rdma");
    }

    private static DecLockException unusable(MemoryNodeAddress address, AdapterException e) {
        return new DecLockException(
                "memory node " + address + " cannot be used: " + e.getMessage() + " " + e.action(), e);
    }
}
