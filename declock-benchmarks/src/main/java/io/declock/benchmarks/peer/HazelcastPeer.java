// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.declock.LockMode;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Hazelcast with a member in each client process, as its documentation of embedded use recommends: {@code IMap.lock(key)}, one
 * synchronous backup (the default). The process that locks a key may own its partition; but with one backup every operation still leaves
 * the process.
 */
public final class HazelcastPeer implements LockUnderTest {
    private static final int FORM_SECONDS = 60;

    private final HazelcastInstance instance;
    private final IMap<String, String> map;

    /**
     * Starts a member and waits until the cluster is complete.
     *
     * @param members {@code host:port} of all members
     * @param index index of this member
     */
    public HazelcastPeer(List<String> members, int index) throws InterruptedException {
        Config config = new Config();
        config.setClusterName("bench");
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.logging.type", "slf4j");
        config.setProperty("hazelcast.socket.bind.any", "false");
        String own = members.get(index);
        config.getNetworkConfig()
                .setPublicAddress(own)
                .setPort(Integer.parseInt(own.substring(own.lastIndexOf(':') + 1)))
                .setPortAutoIncrement(false)
                .getInterfaces()
                .setEnabled(true)
                .addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setMembers(members);
        instance = Hazelcast.newHazelcastInstance(config);
        map = instance.getMap("locks");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FORM_SECONDS);
        while (instance.getCluster().getMembers().size() < members.size()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the cluster has only "
                        + instance.getCluster().getMembers().size() + " of " + members.size() + " members");
            }
            Thread.sleep(100);
        }
        while (!instance.getPartitionService().isClusterSafe()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the cluster does not become safe");
            }
            Thread.sleep(100);
        }
    }

    @Override
    public Held lock(String name, LockMode mode) {
        map.lock(name);
        return () -> map.unlock(name);
    }

    @Override
    public void close() {
        instance.getLifecycleService().terminate();
    }
}
