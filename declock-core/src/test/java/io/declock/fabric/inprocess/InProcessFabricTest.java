// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.fabric.inprocess;

import io.declock.fabric.Fabric;
import io.declock.fabric.FabricContract;
import io.declock.fabric.FabricRig;
import io.declock.fabric.MemoryNodeAddress;
import io.declock.memorynode.MemoryNode;
import io.declock.memorynode.MemoryNodeSettings;
import io.declock.monitor.Counters;
import java.util.concurrent.ThreadLocalRandom;

class InProcessFabricTest extends FabricContract {
    @Override
    protected FabricRig start(MemoryNodeSettings settings) {
        MemoryNode node = MemoryNode.create(
                settings, time, time, () -> ThreadLocalRandom.current().nextLong());
        return new FabricRig() {
            @Override
            public MemoryNode node() {
                return node;
            }

            @Override
            public MemoryNodeAddress address() {
                return new MemoryNodeAddress(InProcessFabric.SCHEME, node.id(), 0);
            }

            @Override
            public Fabric openFabric(Counters counters) {
                return InProcessFabric.open(node, counters);
            }

            @Override
            public void close() {
                node.close();
            }
        };
    }
}
