// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.testkit.Commands;
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
    ETCD("etcd", "etcd-server");

    private final @Nullable String command;
    private final @Nullable String debianPackage;

    ServerKind(@Nullable String command, @Nullable String debianPackage) {
        this.command = command;
        this.debianPackage = debianPackage;
    }

    /** Returns why it cannot be started on this machine, or null if it can. */
    public @Nullable String missing() {
        if (command == null || Commands.onPath(command)) {
            return null;
        }
        return "'" + command + "' is not installed (Debian: apt-get install " + debianPackage + ")";
    }
}
