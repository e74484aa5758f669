// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.inprocess;

import io.declock.MemoryNodeAddress;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.Fabric;
import io.declock.spi.FabricRig;
import io.declock.spi.ManualTime;
import java.util.concurrent.ThreadLocalRandom;

/** A memory node in this process, and fabrics without a network to it. */
public final class InProcessRig implements FabricRig {
    private final MemoryNode node;

    /** Starts it on a time that a test moves. */
    public InProcessRig(MemoryNodeSettings settings, ManualTime time) {
        node = MemoryNode.create(
                settings, time, time, () -> ThreadLocalRandom.current().nextLong());
    }

    @Override
    public MemoryNode node() {
        return node;
    }

    @Override
    public MemoryNodeAddress address() {
        return new MemoryNodeAddress(InProcessFabric.SCHEME, node.id(), 0);
    }

    @Override
    public Fabric openFabric(NodeCounters counters) {
        return InProcessFabric.open(node, counters);
    }

    @Override
    public void close() {
        node.close();
    }
}
