// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import java.io.IOException;
import java.util.Map;

/** The fabric by RDMA; {@link java.util.ServiceLoader} finds it. */
public final class VerbsFabricProvider implements RdmaFabricProvider {
    /** Called by the service loader. */
    public VerbsFabricProvider() {}

    @Override
    public Fabric open(Map<String, String> options, TcpFabric control, FabricCounters counters)
            throws AdapterException {
        RdmaOptions read = RdmaOptions.of(options);
        try {
            VerbsBackend backend = Providers.provider(read.provider());
            return RdmaFabric.open(backend, read.connections(), read.peers(), read.fallback(), control, counters);
        } catch (IOException e) {
            AdapterException explained = Diagnosis.of(e);
            if (read.fallback()) {
                return RdmaFabric.overTcp(control, counters, explained);
            }
            throw explained;
        }
    }
}
