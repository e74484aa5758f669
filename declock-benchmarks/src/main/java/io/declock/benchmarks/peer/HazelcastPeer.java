// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.declock.LockMode;
import io.declock.benchmarks.server.HazelcastMemberCommand;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hazelcast's {@code IMap.lock(key)}, in both ways that its documentation describes.
 *
 * <ul>
 *   <li>A member in each client process, one synchronous backup (the default). The process that locks a key may own its partition; but
 *       with one backup every operation still leaves the process.
 *   <li>Clients of one member in a process of its own, with no backup: one round trip for each operation.
 * </ul>
 */
public final class HazelcastPeer implements LockUnderTest {
    private static final int FORM_SECONDS = 60;

    private final HazelcastInstance instance;
    private final IMap<String, String> map;

    private HazelcastPeer(HazelcastInstance instance) {
        this.instance = instance;
        this.map = instance.getMap(HazelcastMemberCommand.MAP);
    }

    /**
     * Starts a member and waits until the cluster is complete.
     *
     * @param members {@code host:port} of all members
     * @param index index of this member
     */
    public static HazelcastPeer member(List<String> members, int index) throws InterruptedException {
        Config config = HazelcastMemberCommand.config(members.get(index));
        config.getNetworkConfig().getJoin().getTcpIpConfig().setEnabled(true).setMembers(members);
        HazelcastPeer peer = new HazelcastPeer(Hazelcast.newHazelcastInstance(config));
        peer.awaitCluster(members.size());
        return peer;
    }

    /** Connects a client to a member. */
    public static HazelcastPeer client(String address) {
        ClientConfig config = new ClientConfig();
        config.setClusterName("bench");
        config.setProperty("hazelcast.logging.type", "slf4j");
        config.getNetworkConfig().addAddress(address);
        return new HazelcastPeer(HazelcastClient.newHazelcastClient(config));
    }

    private void awaitCluster(int members) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FORM_SECONDS);
        while (instance.getCluster().getMembers().size() < members) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the cluster has only "
                        + instance.getCluster().getMembers().size() + " of " + members + " members");
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

    /** Returns the same with values, which the map has under the keys that are locked. */
    public LockUnderTest withValues() {
        return new ValueOf(this, new ValueOf.Store() {
            @Override
            public @Nullable String get(String name) {
                return map.get(name);
            }

            @Override
            public void set(String name, String value) {
                map.set(name, value);
            }
        });
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
