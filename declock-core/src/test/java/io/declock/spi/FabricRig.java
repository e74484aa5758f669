// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.MemoryNodeAddress;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.monitor.NodeCounters;

/** One memory node and as many compute nodes' fabrics as a test wants. */
public interface FabricRig extends AutoCloseable {
    /** Returns the memory node. */
    MemoryNode node();

    /** Returns where fabrics reach it. */
    MemoryNodeAddress address();

    /** Opens a fabric as another process would; closed with the rig. */
    Fabric openFabric(NodeCounters counters);

    @Override
    void close();
}
