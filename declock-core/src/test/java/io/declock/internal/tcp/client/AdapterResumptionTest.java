// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.ManualTime;
import org.junit.jupiter.api.Timeout;

/** Rules G1 to G4 for sessions over TCP with a memory node whose adapter executes their verbs. */
@Timeout(120)
class AdapterResumptionTest extends ResumptionContract {
    @Override
    protected TcpRig rig(MemoryNodeSettings settings, ManualTime time) {
        return new TcpRig(settings, time, server().eventLoopThreads(2), client(), new ThreadAdapter());
    }

    @Override
    protected MemoryNodeServerSettings.Builder server() {
        return MemoryNodeServerSettings.builder();
    }

    @Override
    protected TcpFabricSettings client() {
        return TcpFabricSettings.DEFAULTS;
    }
}
