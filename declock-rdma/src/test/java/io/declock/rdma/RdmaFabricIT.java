// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.spi.FabricContract;
import io.declock.spi.FabricRig;

class RdmaFabricIT extends FabricContract {
    @Override
    protected boolean executesExtendedAtomics() {
        return false;
    }

    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new RdmaRig(settings, time, RdmaFabric.SCHEME);
    }

    @Override
    protected int lockRounds() {
        return 100;
    }

    @Override
    protected int roundTrips() {
        return 2_000;
    }
}
