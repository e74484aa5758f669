// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeSettings;
import io.declock.CqlSettings;
import io.declock.InvalidSettingException;
import io.declock.KeepSettings;
import io.declock.LocalSettings;
import io.declock.MemoryNodeAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.util.StringUtils;

/** Converts properties to the core's settings. The core checks the values; errors get the names of the properties here. Stateless. */
final class DecLockSettings {
    private DecLockSettings() {}

    /** Returns the settings of the compute node. */
    static ComputeNodeSettings computeNode(DecLockProperties properties, @Nullable String applicationName) {
        LocalSettings local = bound("declock.fairness.", Map.of(), () -> local(properties.fairness()));
        KeepSettings keep = bound("declock.", Map.of(), () -> keep(properties.keep()));
        CqlSettings cql = bound("declock.protocol.", Map.of(), () -> cql(properties.protocol()));
        return bound(
                "declock.",
                Map.of("name", "declock.node-name", "defaultWaitTime", "declock.wait-time"),
                () -> ComputeNodeSettings.builder()
                        .namespace(properties.namespace())
                        .name(nodeName(properties, applicationName))
                        .defaultWaitTime(properties.waitTime())
                        .lease(properties.lease())
                        .heartbeatInterval(properties.heartbeatInterval())
                        .leaseMargin(properties.leaseMargin())
                        .failFast(properties.failFast())
                        .clockSyncInterval(properties.clockSyncInterval())
                        .maxIdleLocks(properties.maxIdleLocks())
                        .spin(properties.spin())
                        .local(local)
                        .keep(keep)
                        .cql(cql)
                        .build());
    }

    private static LocalSettings local(DecLockProperties.Fairness fairness) {
        return LocalSettings.builder()
                .policy(fairness.policy())
                .localHandOverLimit(fairness.localHandOverLimit())
                .localHandOverTime(fairness.localHandOverTime())
                .readerPhases(fairness.readerPhases())
                .build();
    }

    private static KeepSettings keep(DecLockProperties.Keep keep) {
        return KeepSettings.builder()
                .enabled(keep.enabled())
                .after(keep.after())
                .idle(keep.idle())
                .max(keep.max())
                .build();
    }

    private static CqlSettings cql(DecLockProperties.Protocol protocol) {
        return CqlSettings.builder()
                .selfCheckInterval(protocol.selfCheckInterval())
                .prefetchInterval(protocol.prefetchInterval())
                .refetchLimit(protocol.refetchLimit())
                .refetchInterval(protocol.refetchInterval())
                .suspectAfter(protocol.suspectAfter())
                .resetPollInterval(protocol.resetPollInterval())
                .resetResendInterval(protocol.resetResendInterval())
                .preArmedHandOver(protocol.preArmedHandOver())
                .releaseRead(protocol.releaseRead())
                .build();
    }

    /**
     * Makes settings from properties; the exception for a value that cannot work names the property.
     *
     * @param prefix of the properties that are called as the settings are
     * @param others names of the other properties, by setting
     */
    static <T> T bound(String prefix, Map<String, String> others, Supplier<T> settings) {
        try {
            return settings.get();
        } catch (InvalidSettingException e) {
            throw e.named(
                    setting -> others.getOrDefault(setting, prefix + DataObjectPropertyName.toDashedForm(setting)));
        }
    }

    /** Parses the addresses of the memory nodes. */
    static List<MemoryNodeAddress> addresses(List<String> texts) {
        Set<MemoryNodeAddress> addresses = new LinkedHashSet<>();
        for (String text : texts) {
            MemoryNodeAddress address;
            try {
                address = MemoryNodeAddress.parse(text);
            } catch (IllegalArgumentException e) {
                throw new InvalidSettingException(
                        "declock.memory-nodes",
                        text,
                        "it is not the address of a memory node",
                        "Write tcp://host:port, for example tcp://declock.internal:7420; several are separated by commas.",
                        e);
            }
            if (!addresses.add(address)) {
                throw new InvalidSettingException(
                        "declock.memory-nodes", text, "it is listed twice", "List each memory node once.");
            }
        }
        return List.copyOf(addresses);
    }

    private static String nodeName(DecLockProperties properties, @Nullable String applicationName) {
        if (StringUtils.hasText(properties.nodeName())) {
            return properties.nodeName();
        }
        String application = StringUtils.hasText(applicationName) ? applicationName : "application";
        return application + "@" + ProcessHandle.current().pid();
    }
}
