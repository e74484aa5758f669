// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.fabric.FabricClientsContract;
import io.declock.spi.FabricRig;
import io.declock.spi.ManualTime;

/** The locks of the literature by RDMA, but for the one that needs extended atomics. */
class RdmaFabricClientsIT extends FabricClientsContract {
    @Override
    protected FabricRig start() {
        MemoryNodeSettings settings = MemoryNodeSettings.builder("mn-1")
                .records(64)
                .queueCapacity(8)
                .waitOutOldSessions(false)
                .build();
        return new RdmaRig(settings, new ManualTime(), RdmaFabric.SCHEME);
    }

    @Override
    protected boolean executesExtendedAtomics() {
        return false;
    }

    @Override
    protected int rounds(LockProtocol protocol) {
        return 12;
    }
}
