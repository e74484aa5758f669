// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.internal.RdmaModule;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** Opens the fabric of the module {@code declock-rdma}. Stateless. */
final class RdmaFabrics {
    private RdmaFabrics() {}

    /**
     * Opens a fabric.
     *
     * @param control carries everything except verbs; closed if this method fails
     */
    static Fabric open(DecLockProperties.Rdma rdma, TcpFabric control, FabricCounters counters) {
        try {
            return provider().open(options(rdma), control, counters);
        } catch (AdapterException e) {
            control.close();
            throw new RdmaUnavailableException(
                    e.getMessage()
                            + (rdma.fallback()
                                    ? ""
                                    : " (With declock.rdma.fallback=true these memory nodes would be used over TCP.)"),
                    e.action(),
                    e);
        } catch (RdmaUnavailableException e) {
            control.close();
            throw e;
        }
    }

    private static RdmaFabricProvider provider() {
        try {
            return RdmaModule.find(RdmaFabricProvider.class)
                    .orElseThrow(() -> new RdmaUnavailableException(
                            "declock.memory-nodes has addresses that begin with rdma://, but the module declock-rdma is not on the class path.",
                            "Add the dependency io.declock:declock-rdma (it needs Java 25), or write tcp://.",
                            null));
        } catch (AdapterException e) {
            throw new RdmaUnavailableException(String.valueOf(e.getMessage()), e.action(), e);
        }
    }

    /** Returns the settings by name, without those that keep their default. */
    static Map<String, String> options(DecLockProperties.Rdma rdma) {
        Map<String, String> options = new LinkedHashMap<>();
        put(options, "device", StringUtils.hasText(rdma.device()) ? rdma.device() : null);
        put(options, "port", rdma.port());
        put(options, "gid-index", rdma.gidIndex());
        put(options, "address", StringUtils.hasText(rdma.address()) ? rdma.address() : null);
        put(options, "provider", rdma.provider());
        put(options, "fallback", rdma.fallback());
        put(options, "ack-timeout", rdma.ackTimeout());
        put(options, "retry-count", rdma.retryCount());
        put(options, "rnr-retry-count", rdma.rnrRetryCount());
        put(options, "max-in-flight", rdma.maxInFlight());
        put(options, "max-reads-and-atomics", rdma.maxReadsAndAtomics());
        put(options, "inline-bytes", rdma.inlineBytes());
        put(options, "poll-time", rdma.pollTime());
        put(options, "connect-timeout", rdma.connectTimeout());
        put(options, "request-timeout", rdma.requestTimeout());
        put(options, "peer-connections", rdma.peer().enabled());
        put(options, "peer-port", rdma.peer().port());
        put(options, "max-peer-connections", rdma.peer().maxConnections());
        return options;
    }

    private static void put(Map<String, String> options, String name, @Nullable Object value) {
        if (value != null) {
            options.put(name, value.toString());
        }
    }
}
