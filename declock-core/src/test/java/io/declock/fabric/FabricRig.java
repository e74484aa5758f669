// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.fabric;

import io.declock.memorynode.MemoryNode;
import io.declock.monitor.Counters;

/** One memory node and as many compute nodes' fabrics as a test wants. */
public interface FabricRig extends AutoCloseable {
    /** Returns the memory node. */
    MemoryNode node();

    /** Returns where fabrics reach it. */
    MemoryNodeAddress address();

    /** Opens a fabric as another process would; closed with the rig. */
    Fabric openFabric(Counters counters);

    @Override
    void close();
}
