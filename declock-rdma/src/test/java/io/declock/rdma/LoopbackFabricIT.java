// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.FabricContract;
import io.declock.spi.FabricRig;

/** Sessions over TCP with a memory node whose adapter executes their verbs through a loopback queue pair. */
class LoopbackFabricIT extends FabricContract {
    @Override
    protected boolean executesExtendedAtomics() {
        return false;
    }

    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new RdmaRig(settings, time, TcpFabric.SCHEME);
    }

    @Override
    protected int lockRounds() {
        return 100;
    }

    @Override
    protected int roundTrips() {
        return 500;
    }
}
