// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.benchmarks.server.RunningServer;
import java.util.List;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Connects to the locks that are compared. */
public final class Peers {
    private Peers() {}

    /**
     * Connects this process.
     *
     * @param address address of the server; for Hazelcast the addresses of all members, separated by commas
     * @param index index of this client process, from 0
     */
    public static LockUnderTest connect(Peer peer, String address, int index, Tuning tuning) throws Exception {
        String name = "bench-" + index;
        return switch (peer) {
            case DECLOCK -> DecLockPeer.joined(address, name, tuning);
            case BARE_VERB -> new BareVerbPeer(address, name, tuning);
            case REDISSON -> new RedissonPeer(address, RedissonPeer.Kind.PLAIN);
            case REDISSON_RW -> new RedissonPeer(address, RedissonPeer.Kind.READ_WRITE);
            case REDISSON_FAIR -> new RedissonPeer(address, RedissonPeer.Kind.FAIR);
            case SPRING_REDIS -> new SpringRedisPeer(address, RedisLockType.PUB_SUB_LOCK);
            case SPRING_REDIS_SPIN -> new SpringRedisPeer(address, RedisLockType.SPIN_LOCK);
            case HAZELCAST -> HazelcastPeer.member(List.of(address.split(",", -1)), index);
            case HAZELCAST_SERVER -> HazelcastPeer.client(address);
            case CURATOR_MUTEX -> new CuratorPeer(address, false);
            case CURATOR_RW -> new CuratorPeer(address, true);
            case ETCD -> new EtcdPeer(address);
            case DECLOCK_VALUE -> new GuardedPeer(DecLockPeer.joined(address, name, tuning));
            case DECLOCK_REDIS_VALUE, DECLOCK_POSTGRES_VALUE -> valueBeside(address, name, tuning);
            case REDISSON_VALUE -> new RedissonPeer(address, RedissonPeer.Kind.PLAIN).withValues();
            case SPRING_REDIS_VALUE -> new SpringRedisPeer(address, RedisLockType.SPIN_LOCK).withValues();
            case HAZELCAST_SERVER_VALUE -> HazelcastPeer.client(address).withValues();
            case CAS_LOCK, CAS_LOCK_BACKOFF, MCS, DSLR, DSLR_PLUS, SHIFTLOCK, ALOCK, SOUL ->
                LiteraturePeer.joined(peer, address, name, tuning);
            case JVM_FAIR -> new JvmPeer(true);
            case JVM_NON_FAIR -> new JvmPeer(false);
        };
    }

    private static LockUnderTest valueBeside(String addresses, String name, Tuning tuning) throws Exception {
        String[] both = addresses.split(RunningServer.ADDRESS_SEPARATOR, 2);
        ValueOf.Store store = both[1].startsWith("jdbc:") ? new DatabaseStore(both[1]) : new RedisStore(both[1]);
        return new ValueOf(DecLockPeer.joined(both[0], name, tuning), store);
    }
}
