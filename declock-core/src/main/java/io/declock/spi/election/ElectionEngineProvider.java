// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi.election;

import java.time.Duration;
import java.util.Map;

/** Opens an engine of one kind. Found by {@link java.util.ServiceLoader}. Stateless. */
public interface ElectionEngineProvider {
    /** {@return the kind of engine, as it is configured: {@code etcd}, {@code zookeeper}, {@code jdbc} or {@code kubernetes}} */
    String kind();

    /**
     * Opens an engine. It need not be reachable yet.
     *
     * @param settings settings by name, which the provider documents
     * @param timeout time limit for each attempt
     * @return the engine
     * @throws InvalidElectionSettingException if a setting is missing, unknown or invalid
     */
    ElectionEngine open(Map<String, String> settings, Duration timeout) throws InvalidElectionSettingException;
}
