// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.info;

import io.declock.ComputeNodeMonitor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * Says in the actuator's info how this application uses locks: what must be the same in every service that shares them, and nothing that is
 * secret. Thread-safe.
 */
public final class DecLockInfoContributor implements InfoContributor {
    private final ComputeNodeMonitor monitor;
    private final String namespace;
    private final Duration lease;
    private final @Nullable String embedded;

    /**
     * Makes it.
     *
     * @param monitor tells how many memory nodes are used
     * @param namespace namespace of the names
     * @param lease lease that is asked for
     * @param embedded description of the embedded memory node, null if memory nodes are configured
     */
    public DecLockInfoContributor(
            ComputeNodeMonitor monitor, String namespace, Duration lease, @Nullable String embedded) {
        this.monitor = monitor;
        this.namespace = namespace;
        this.lease = lease;
        this.embedded = embedded;
    }

    @Override
    public void contribute(Info.Builder builder) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("namespace", namespace);
        details.put("lease", lease.toString());
        details.put("memoryNodes", monitor.memoryNodes().size());
        if (embedded != null) {
            details.put("embedded", embedded);
        }
        builder.withDetail("declock", details);
    }
}
