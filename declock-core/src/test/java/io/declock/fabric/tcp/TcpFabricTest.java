// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.fabric.tcp;

import io.declock.fabric.FabricContract;
import io.declock.fabric.FabricRig;
import io.declock.memorynode.MemoryNodeServerSettings;
import io.declock.memorynode.MemoryNodeSettings;

class TcpFabricTest extends FabricContract {
    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new TcpRig(settings, time, MemoryNodeServerSettings.DEFAULTS, TcpFabricSettings.DEFAULTS);
    }
}
