// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.zookeeper;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionEngineProvider;
import io.declock.spi.election.ElectionSettings;
import io.declock.spi.election.InvalidElectionSettingException;
import java.time.Duration;
import java.util.Map;

/**
 * Opens {@link ZooKeeperEngine}s. Settings: {@code connect-string} (required, {@code host:port} with commas between them), {@code path}
 * ({@code /declock}), {@code auth} ({@code scheme:value}, such as {@code digest:user:password}). Stateless.
 */
public final class ZooKeeperEngineProvider implements ElectionEngineProvider {
    /** Makes one, for the service loader. */
    public ZooKeeperEngineProvider() {}

    @Override
    public String kind() {
        return "zookeeper";
    }

    @Override
    public ElectionEngine open(Map<String, String> settings, Duration timeout) throws InvalidElectionSettingException {
        ElectionSettings read = new ElectionSettings(settings);
        String servers = read.required("connect-string", "zk-1:2181,zk-2:2181,zk-3:2181");
        String path = read.optional("path", "/declock");
        String auth = read.optional("auth", "");
        read.end();
        if (!path.startsWith("/") || path.endsWith("/")) {
            throw new InvalidElectionSettingException(
                    "path",
                    "is '" + path + "', which is no path of ZooKeeper",
                    "Write it as '/declock', with a slash at its beginning and none at its end.",
                    null);
        }
        if (!auth.isEmpty() && auth.indexOf(':') < 1) {
            throw new InvalidElectionSettingException(
                    "auth", "has no scheme", "Write it as 'digest:user:password'.", null);
        }
        return new ZooKeeperEngine(servers, path, auth, timeout);
    }
}
