// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.benchmarks.server.ServerKind;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The locks that can be put under load. */
public enum Peer {
    /** DecLock over TCP. */
    DECLOCK(ServerKind.MEMORY_NODE, true, true, "ComputeNode.lock(name), TCP fabric"),
    /** A bare one-verb round trip of DecLock's TCP fabric: no lock, and the lower bound of an acquisition's time. */
    BARE_VERB(ServerKind.MEMORY_NODE, false, false, "one READ of one word over the TCP fabric, no lock"),
    /** Redisson's plain lock. */
    REDISSON(ServerKind.REDIS, false, false, "getLock(name).lock() with the watchdog"),
    /** Redisson's read/write lock. */
    REDISSON_RW(ServerKind.REDIS, false, true, "RReadWriteLock.lock() with the watchdog"),
    /** Redisson's fair lock. */
    REDISSON_FAIR(ServerKind.REDIS, true, false, "getFairLock(name).lock() with the watchdog"),
    /** Spring Integration's Redis lock, waiting by publish/subscribe. */
    SPRING_REDIS(ServerKind.REDIS, false, false, "RedisLockRegistry, PUB_SUB_LOCK, Lettuce"),
    /** Spring Integration's Redis lock with its default settings. */
    SPRING_REDIS_SPIN(ServerKind.REDIS, false, false, "RedisLockRegistry, SPIN_LOCK (default), Lettuce"),
    /** Hazelcast's map lock, with members in the clients. */
    HAZELCAST(ServerKind.NONE, true, false, "IMap.lock(key), members in the client JVMs, one backup"),
    /** Hazelcast's map lock, with one member in a process of its own. */
    HAZELCAST_SERVER(ServerKind.HAZELCAST, true, false, "IMap.lock(key), clients of one member, no backup"),
    /** Curator's mutex. */
    CURATOR_MUTEX(ServerKind.ZOOKEEPER, true, false, "InterProcessMutex"),
    /** Curator's read/write lock. */
    CURATOR_RW(ServerKind.ZOOKEEPER, true, true, "InterProcessReadWriteLock"),
    /** etcd's lock service. */
    ETCD(ServerKind.ETCD, true, false, "jetcd Lock with one lease per thread, kept alive"),
    /** DecLock's guarded values. */
    DECLOCK_VALUE(
            ServerKind.MEMORY_NODE,
            true,
            true,
            "GuardedValues: the value comes with the lock, and is stored before it is released"),
    /** DecLock, and a value in Redis. */
    DECLOCK_REDIS_VALUE(
            ServerKind.MEMORY_NODE_AND_REDIS, true, true, "ComputeNode.lock(name), then GET and SET by Lettuce"),
    /** DecLock, and a value in a database. */
    DECLOCK_POSTGRES_VALUE(
            ServerKind.MEMORY_NODE_AND_POSTGRES,
            true,
            true,
            "ComputeNode.lock(name), then SELECT and INSERT or UPDATE of a row by its key, JDBC, pooled, no fsync"),
    /** Redisson's plain lock, and a value in Redis. */
    REDISSON_VALUE(ServerKind.REDIS, false, false, "getLock(name), then getBucket(name).get() and set()"),
    /** Spring Integration's Redis lock, and a value in Redis. */
    SPRING_REDIS_VALUE(ServerKind.REDIS, false, false, "RedisLockRegistry, SPIN_LOCK, then GET and SET by Lettuce"),
    /** Hazelcast's map lock, and the value of its key. */
    HAZELCAST_SERVER_VALUE(
            ServerKind.HAZELCAST, true, false, "IMap.lock(key), then get(key) and set(key), one member, no backup"),
    /** The spinlock of DecLock's paper. */
    CAS_LOCK(ServerKind.MEMORY_NODE, false, true, "CASLock, on DecLock's TCP fabric"),
    /** The same with a back-off. */
    CAS_LOCK_BACKOFF(ServerKind.MEMORY_NODE, false, true, "CASLock with SMART's back-off, on DecLock's TCP fabric"),
    /** The MCS lock. */
    MCS(ServerKind.MEMORY_NODE, true, false, "MCS, on DecLock's TCP fabric"),
    /** DSLR. */
    DSLR(ServerKind.MEMORY_NODE, true, true, "DSLR, on DecLock's TCP fabric"),
    /** DSLR with a back-off. */
    DSLR_PLUS(ServerKind.MEMORY_NODE, true, true, "DSLR+, on DecLock's TCP fabric"),
    /** ShiftLock. */
    SHIFTLOCK(ServerKind.MEMORY_NODE, true, true, "ShiftLock, on DecLock's TCP fabric"),
    /** ALock, all of whose clients are remote. */
    ALOCK(ServerKind.MEMORY_NODE, true, false, "ALock, all clients remote, on DecLock's TCP fabric"),
    /** Soul's generalised coherence. */
    SOUL(
            ServerKind.MEMORY_NODE,
            true,
            true,
            "Soul's coherence, the directory in one of the clients' processes, on DecLock's TCP fabric"),
    /** One lock inside one JVM: fair. */
    JVM_FAIR(ServerKind.NONE, true, true, "new ReentrantReadWriteLock(true), one JVM"),
    /** One lock inside one JVM: not fair. */
    JVM_NON_FAIR(ServerKind.NONE, false, true, "new ReentrantReadWriteLock(false), one JVM");

    private final ServerKind server;
    private final boolean fair;
    private final boolean readLocks;
    private final String usage;

    Peer(ServerKind server, boolean fair, boolean readLocks, String usage) {
        this.server = server;
        this.fair = fair;
        this.readLocks = readLocks;
        this.usage = usage;
    }

    /** Returns the server it needs. */
    public ServerKind server() {
        return server;
    }

    /** Returns whether the product documents that this lock grants in the order of arrival. */
    public boolean isFair() {
        return fair;
    }

    /** Returns whether readers share the lock. */
    public boolean hasReadLocks() {
        return readLocks;
    }

    /** Returns how the benchmarks use it. */
    public String usage() {
        return usage;
    }

    /** Returns its name on the command line and in tables. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns whether it is another product: ratios compare DecLock with these. */
    public boolean isCompetitor() {
        return switch (this) {
            case DECLOCK,
                    BARE_VERB,
                    JVM_FAIR,
                    JVM_NON_FAIR,
                    DECLOCK_VALUE,
                    DECLOCK_REDIS_VALUE,
                    DECLOCK_POSTGRES_VALUE,
                    REDISSON_VALUE,
                    SPRING_REDIS_VALUE,
                    HAZELCAST_SERVER_VALUE,
                    CAS_LOCK,
                    CAS_LOCK_BACKOFF,
                    MCS,
                    DSLR,
                    DSLR_PLUS,
                    SHIFTLOCK,
                    ALOCK,
                    SOUL -> false;
            default -> true;
        };
    }

    /** Returns the same product with a value that its lock guards, or null if that is not compared. */
    public @Nullable Peer withValue() {
        return switch (this) {
            case DECLOCK -> DECLOCK_VALUE;
            case REDISSON -> REDISSON_VALUE;
            case SPRING_REDIS_SPIN -> SPRING_REDIS_VALUE;
            case HAZELCAST_SERVER -> HAZELCAST_SERVER_VALUE;
            default -> null;
        };
    }

    /** Returns the locks of the literature that run on the same fabric. */
    public static List<Peer> literature() {
        return List.of(CAS_LOCK, CAS_LOCK_BACKOFF, MCS, DSLR, DSLR_PLUS, SHIFTLOCK, ALOCK, SOUL);
    }

    /** Returns all other products. */
    public static List<Peer> competitors() {
        return Arrays.stream(values()).filter(Peer::isCompetitor).toList();
    }

    /** Returns the lock with that label. */
    public static Peer of(String label) {
        return Arrays.stream(values())
                .filter(peer -> peer.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no peer '" + label + "'; there are "
                        + Arrays.stream(values()).map(Peer::label).toList()));
    }
}
