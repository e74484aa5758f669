// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import java.io.File;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A kind of server that a lock needs. */
public enum ServerKind {
    /** None. */
    NONE(null, null),
    /** DecLock's memory node, a JVM of its own. */
    MEMORY_NODE(null, null),
    /** A Redis server, without persistence. */
    REDIS("redis-server", "redis-server"),
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

    /** Returns the program that must be installed, or null. */
    public @Nullable String command() {
        return command;
    }

    /** Returns why it cannot be started on this machine, or null if it can. */
    public @Nullable String missing() {
        if (command == null) {
            return null;
        }
        Map<String, String> environment = System.getenv();
        for (String folder : environment.getOrDefault("PATH", "").split(Pattern.quote(File.pathSeparator), -1)) {
            if (new File(folder, command).canExecute()) {
                return null;
            }
        }
        return "'" + command + "' is not installed (Debian: apt-get install " + debianPackage + ")";
    }
}
