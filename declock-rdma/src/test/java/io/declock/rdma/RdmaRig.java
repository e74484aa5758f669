// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import io.declock.spi.FabricRig;
import io.declock.spi.ManualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

/** A memory node that serves RDMA on the laboratory's device, and fabrics to it. */
final class RdmaRig implements FabricRig {
    private final MemoryNode node;
    private final RdmaServer rdma;
    private final MemoryNodeServer server;
    private final String scheme;
    private final Opener opener;
    private final List<Fabric> fabrics = new CopyOnWriteArrayList<>();

    /** Opens a fabric by RDMA on one over TCP. */
    @FunctionalInterface
    interface Opener {
        Fabric open(TcpFabric tcp, NodeCounters counters) throws IOException;
    }

    RdmaRig(MemoryNodeSettings settings, ManualTime time, String scheme) {
        this(settings, time, scheme, RdmaRig::open);
    }

    RdmaRig(MemoryNodeSettings settings, ManualTime time, String scheme, Opener opener) {
        this(settings, time, time, scheme, opener);
    }

    RdmaRig(MemoryNodeSettings settings, Clock clock, TimerService timer, String scheme, Opener opener) {
        this.scheme = scheme;
        this.opener = opener;
        RdmaMemory memory = new RdmaMemory();
        this.node = MemoryNode.create(
                settings, clock, timer, () -> ThreadLocalRandom.current().nextLong(), memory);
        try {
            this.rdma = RdmaServer.start(node, memory, backend(), settings(), 0);
            this.server = MemoryNodeServer.start(
                    node,
                    MemoryNodeServerSettings.builder().host(host()).port(0).build(),
                    rdma);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Fabric open(TcpFabric tcp, NodeCounters counters) throws IOException {
        return RdmaFabric.open(backend(), settings(), PeerSettings.DEFAULTS, false, tcp, counters);
    }

    static VerbsBackend backend() throws IOException {
        return Providers.provider("ffm");
    }

    /** Returns the settings for the laboratory's address. */
    static ConnectionSettings settings() throws IOException {
        return settings(Map.of());
    }

    /** Returns the settings for the laboratory's address and these options. */
    static ConnectionSettings settings(Map<String, String> options) throws IOException {
        Map<String, String> all = new HashMap<>(options);
        all.put("address", host());
        try {
            return RdmaOptions.of(all).connections();
        } catch (AdapterException e) {
            throw new IOException(e);
        }
    }

    /** Returns the address of the laboratory's device. */
    static String host() {
        String address = System.getenv("LAB_ADDRESS");
        if (address == null) {
            throw new IllegalStateException("this runs inside a laboratory machine only; see ./lab");
        }
        return address;
    }

    @Override
    public MemoryNode node() {
        return node;
    }

    RdmaServer rdma() {
        return rdma;
    }

    @Override
    public MemoryNodeAddress address() {
        return new MemoryNodeAddress(scheme, host(), server.port());
    }

    @Override
    public Fabric openFabric(NodeCounters counters) {
        // The first handshake of an emulated JVM takes seconds.
        TcpFabricSettings patient = TcpFabricSettings.builder()
                .connectTimeout(Duration.ofSeconds(15))
                .requestTimeout(Duration.ofSeconds(10))
                .build();
        TcpFabric tcp = TcpFabric.open(patient, counters);
        Fabric fabric;
        try {
            fabric = scheme.equals(TcpFabric.SCHEME) ? tcp : opener.open(tcp, counters);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        fabrics.add(fabric);
        return fabric;
    }

    @Override
    public void close() {
        fabrics.forEach(Fabric::close);
        node.close();
        server.close();
        rdma.close();
    }
}
