// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import java.util.List;

/** The lock over TCP: a real server and real sockets on the loopback interface. */
class TcpLockTest extends LockContract {
    private LockRig rig;

    @Override
    protected List<ComputeNode> startNodes(int count) throws Exception {
        rig = LockRig.overTcp(settings -> settings.records(10_000));
        for (int i = 0; i < count; i++) {
            rig.join();
        }
        return rig.nodes();
    }

    @Override
    protected void stopMemoryNode() {
        rig.stopMemoryNode();
    }

    @Override
    protected void stopAll() {
        rig.close();
    }
}
