// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.node.ComputeNode;
import io.declock.internal.node.LockContract;
import java.util.List;

/** The lock with compute nodes that use one memory node by RDMA and over TCP at the same time. */
class MixedLockIT extends LockContract {
    private RdmaLocks locks;

    @Override
    protected List<ComputeNode> startNodes(int count) throws Exception {
        locks = new RdmaLocks();
        for (int i = 0; i < count; i++) {
            locks.start(i % 2 == 0 ? "rdma" : "tcp");
        }
        return locks.nodes();
    }

    @Override
    protected void stopMemoryNode() {
        locks.stopMemoryNode();
    }

    @Override
    protected void stopAll() {
        locks.stopAll();
    }
}
