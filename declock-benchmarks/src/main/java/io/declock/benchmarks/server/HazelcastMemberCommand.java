// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.declock.testkit.Ports;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * One Hazelcast member as a process of its own, the whole cluster, for clients. Its map has no backup, as there is no other member to keep
 * one. Ends with its standard input.
 */
@Command(name = "hazelcast-member", hidden = true, description = "Runs a Hazelcast member for a benchmark.")
public final class HazelcastMemberCommand implements Callable<Integer> {
    /** The map whose keys are locked. */
    public static final String MAP = "locks";

    @Override
    public Integer call() throws Exception {
        Config config = config(Ports.LOOPBACK + ":" + Ports.free());
        config.getMapConfig(MAP).setBackupCount(0);
        HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
        System.out.println(
                "PORT " + member.getCluster().getLocalMember().getAddress().getPort());
        while (System.in.read() >= 0) {
            // Input is ignored.
        }
        member.getLifecycleService().terminate();
        return 0;
    }

    /**
     * Returns the settings of a member that looks for no other.
     *
     * @param own its {@code host:port}
     */
    public static Config config(String own) {
        Config config = new Config();
        config.setClusterName("bench");
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.logging.type", "slf4j");
        config.setProperty("hazelcast.socket.bind.any", "false");
        config.getNetworkConfig()
                .setPublicAddress(own)
                .setPort(Integer.parseInt(own.substring(own.lastIndexOf(':') + 1)))
                .setPortAutoIncrement(false)
                .getInterfaces()
                .setEnabled(true)
                .addInterface(Ports.LOOPBACK);
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        return config;
    }
}
