// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/** Values in a Redis server, on one connection that all threads share, as Lettuce recommends. Thread-safe. */
final class RedisStore implements ValueOf.Store {
    private final RedisClient client;
    private final RedisCommands<String, String> commands;

    /** Connects. */
    RedisStore(String address) {
        client = RedisClient.create(address);
        commands = client.connect().sync();
    }

    @Override
    public @Nullable String get(String name) {
        return commands.get("value:" + name);
    }

    @Override
    public void set(String name, String value) {
        commands.set("value:" + name, value);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
