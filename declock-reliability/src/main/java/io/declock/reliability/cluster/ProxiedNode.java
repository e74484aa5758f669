// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Flow;

/**
 * A worker with proxies in front of it.
 *
 * @param worker the worker
 * @param toMemoryNode proxy through which it connects to the memory node
 * @param fromPeers proxy through which its peers connect to it
 */
public record ProxiedNode(WorkerClient worker, TcpProxy toMemoryNode, TcpProxy fromPeers) implements Node {
    @Override
    public void isolate() {
        toMemoryNode.set(Flow.HELD);
        fromPeers.set(Flow.HELD);
    }

    @Override
    public void heal() {
        toMemoryNode.set(Flow.OPEN);
        fromPeers.set(Flow.OPEN);
    }

    @Override
    public void close() {
        worker.close();
        toMemoryNode.close();
        fromPeers.close();
    }
}
