// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.testkit.Directories;
import io.declock.testkit.Ports;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** Stand-bys that ZooKeeper elects. Its server runs in this process. */
class ZooKeeperStandbyIT extends StandbyContract {
    private static final int TICK_MILLIS = 500;

    private final int serverPort = Ports.free();
    private Path directory;
    private ZooKeeperServer server;
    private ServerCnxnFactory connections;

    @Override
    void startEngine() throws Exception {
        directory = Files.createTempDirectory("declock-zookeeper-");
        restartEngine();
    }

    @Override
    void stopEngine() {
        killEngine();
        Directories.delete(directory);
    }

    @Override
    void killEngine() {
        connections.shutdown();
        server.shutdown();
    }

    @Override
    void restartEngine() throws Exception {
        server = new ZooKeeperServer(directory.toFile(), directory.toFile(), TICK_MILLIS);
        connections =
                ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort), 0);
        connections.startup(server);
    }

    @Override
    List<Integer> enginePorts() {
        return List.of(serverPort);
    }

    @Override
    List<String> arguments(List<Integer> ports) {
        return List.of(
                "--declock.memory-node.election.engine=zookeeper",
                "--declock.memory-node.election.zookeeper.connect-string=127.0.0.1:" + ports.get(0));
    }
}
