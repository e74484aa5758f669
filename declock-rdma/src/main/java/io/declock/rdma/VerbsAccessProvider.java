// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.RdmaAccessProvider;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.rdma.ffm.FfmBackend;
import io.declock.spi.AdapterException;
import java.io.IOException;
import java.util.Map;

/** A memory node's side of RDMA; {@link java.util.ServiceLoader} finds it. */
public final class VerbsAccessProvider implements RdmaAccessProvider {
    /** Called by the service loader. */
    public VerbsAccessProvider() {}

    @Override
    public RegionMemory memory() {
        return new RdmaMemory();
    }

    @Override
    public RdmaAccess start(MemoryNode node, RegionMemory memory, Map<String, String> options) throws AdapterException {
        RdmaOptions read = RdmaOptions.of(options);
        try {
            return RdmaServer.start(
                    node,
                    (RdmaMemory) memory,
                    Providers.provider(accepting(read.provider())),
                    read.connections(),
                    read.listenPort());
        } catch (IOException e) {
            throw Diagnosis.of(e);
        }
    }

    /** Returns the provider for {@code auto}: the only one that can accept connections. */
    private static String accepting(String name) {
        return name.equals(Providers.AUTO) ? FfmBackend.NAME : name;
    }
}
