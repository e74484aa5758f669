// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import io.declock.testkit.Ports;
import io.declock.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;

/** Processes on the loopback interface, with a proxy between each worker and the memory node, and one in front of its peer port. */
public final class LocalPlatform implements Platform {
    private final LocalMachine machine;
    private final boolean keepsHolds;
    private final int memoryNodePort = Ports.free();

    /** Makes one that runs only the database. */
    public LocalPlatform(Duration lease) {
        this(lease, false);
    }

    /**
     * Makes one that runs only the database.
     *
     * @param keepsHolds whether the memory node has a state directory, so that holds outlive it
     */
    public LocalPlatform(Duration lease, boolean keepsHolds) {
        this.machine = new LocalMachine("declock-reliability-", lease);
        this.keepsHolds = keepsHolds;
    }

    @Override
    public Site site() {
        return machine.site();
    }

    @Override
    public Program startMemoryNode(int life, boolean hadEarlierLife) {
        List<String> command = MemoryNodeCommand.of("mn", memoryNodePort, site().lease());
        command.add("--declock.memory-node.wait-out-old-sessions=" + hadEarlierLife);
        if (keepsHolds) {
            command.add("--declock.memory-node.state-directory="
                    + site().directory().resolve("state"));
        }
        return machine.startMemoryNode("memory-node-" + life, command);
    }

    @Override
    public ProxiedNode launch(String name) {
        int peerPort = Ports.free();
        TcpProxy toMemoryNode = new TcpProxy(memoryNodePort);
        TcpProxy fromPeers = new TcpProxy(peerPort);
        WorkerClient worker = machine.startWorker(
                name,
                "tcp://127.0.0.1:" + toMemoryNode.port(),
                "--peer-address=127.0.0.1:" + fromPeers.port(),
                "--peer-port=" + peerPort);
        return new ProxiedNode(worker, toMemoryNode, fromPeers);
    }

    @Override
    public void close() {
        machine.close();
    }
}
