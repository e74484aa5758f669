// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricContract;
import io.declock.spi.FabricRig;

class TcpFabricTest extends FabricContract {
    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        return new TcpRig(settings, time, MemoryNodeServerSettings.builder(), TcpFabricSettings.DEFAULTS);
    }
}
