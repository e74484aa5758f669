// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.testkit.Commands;
import io.declock.testkit.PostgresServer;
import org.jspecify.annotations.Nullable;

/** A kind of server that a lock needs. */
public enum ServerKind {
    /** None. */
    NONE(null, null),
    /** DecLock's memory node, a JVM of its own. */
    MEMORY_NODE(null, null),
    /** A Redis server, without persistence. */
    REDIS("redis-server", "redis-server"),
    /** A Hazelcast member, a JVM of its own. */
    HAZELCAST(null, null),
    /** A ZooKeeper server, a JVM of its own. */
    ZOOKEEPER(null, null),
    /** An etcd server. */
    ETCD("etcd", "etcd-server"),
    /** DecLock's memory node, and a Redis server beside it. */
    MEMORY_NODE_AND_REDIS("redis-server", "redis-server"),
    /** DecLock's memory node, and a PostgreSQL beside it that does not wait for the disk. */
    MEMORY_NODE_AND_POSTGRES("postgres", "postgresql") {
        @Override
        boolean isInstalled() {
            // Debian has the program outside the path.
            return PostgresServer.isInstalled();
        }
    };

    private final @Nullable String command;
    private final @Nullable String debianPackage;

    ServerKind(@Nullable String command, @Nullable String debianPackage) {
        this.command = command;
        this.debianPackage = debianPackage;
    }

    /** Returns why it cannot be started on this machine, or null if it can. */
    public @Nullable String missing() {
        return isInstalled()
                ? null
                : "'" + command + "' is not installed (Debian: apt-get install " + debianPackage + ")";
    }

    boolean isInstalled() {
        return command == null || Commands.onPath(command);
    }
}
