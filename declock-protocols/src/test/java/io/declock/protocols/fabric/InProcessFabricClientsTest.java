// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.MemoryNodeAddress;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.monitor.NodeCounters;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.soul.Soul;
import io.declock.spi.Fabric;
import io.declock.spi.FabricRig;
import io.declock.spi.ManualTime;
import java.util.concurrent.ThreadLocalRandom;

/** The locks of the literature on a memory node in the same process. A message waits on a thread until what the thread is at is done, so those that other threads send meanwhile overtake it. */
class InProcessFabricClientsTest extends FabricClientsContract {
    /** Soul goes wrong in nearly each run of 3,000 rounds where messages overtake each other, and seldom in few; these take seconds on a busy machine. */
    @Override
    protected int rounds(LockProtocol protocol) {
        return protocol instanceof Soul ? 1_000 : super.rounds(protocol);
    }

    @Override
    protected FabricRig start() {
        ManualTime time = new ManualTime();
        MemoryNode node = MemoryNode.create(
                LoopbackRig.settings(),
                time,
                time,
                () -> ThreadLocalRandom.current().nextLong());
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
            public Fabric openFabric(NodeCounters counters) {
                return InProcessFabric.open(node, counters);
            }

            @Override
            public void close() {
                node.close();
            }
        };
    }
}
