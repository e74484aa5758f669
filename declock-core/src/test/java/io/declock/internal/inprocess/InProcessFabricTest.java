// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.inprocess;

import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.spi.FabricContract;
import io.declock.spi.FabricRig;

class InProcessFabricTest extends FabricContract {
    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new InProcessRig(settings, time);
    }
}
