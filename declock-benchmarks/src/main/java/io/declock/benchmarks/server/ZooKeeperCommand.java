// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A standalone ZooKeeper server as a process of its own, with ZooKeeper's default settings. Ends with its standard input. */
@Command(name = "zookeeper", hidden = true, description = "Runs a ZooKeeper server for a benchmark.")
public final class ZooKeeperCommand implements Callable<Integer> {
    private static final int TICK_MILLIS = 2000;

    @Option(names = "--data", required = true)
    private File data;

    @Override
    public Integer call() throws Exception {
        ZooKeeperServer server = new ZooKeeperServer(data, data, TICK_MILLIS);
        ServerCnxnFactory connections =
                ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        connections.startup(server);
        System.out.println("PORT " + connections.getLocalPort());
        while (System.in.read() >= 0) {
            // Input is ignored.
        }
        connections.shutdown();
        server.shutdown();
        return 0;
    }
}
