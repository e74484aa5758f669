// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.node.ComputeNode;
import io.declock.internal.node.LockContract;
import java.util.List;

/** The lock by RDMA. */
class RdmaLockIT extends LockContract {
    private RdmaLocks locks;

    @Override
    protected List<ComputeNode> startNodes(int count) throws Exception {
        locks = new RdmaLocks();
        for (int i = 0; i < count; i++) {
            locks.start("rdma");
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
