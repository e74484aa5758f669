// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.ComputeNodeSettings;
import io.declock.CqlSettings;
import io.declock.LocalSettings;
import io.declock.MemoryNodeAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringUtils;

/** Converts properties to the core's settings; refuses values that cannot work, and names the property. Stateless. */
final class DecLockSettings {
    private DecLockSettings() {}

    /** Returns the settings of the compute node. */
    static ComputeNodeSettings computeNode(DecLockProperties properties, @Nullable String applicationName) {
        check(properties);
        DecLockProperties.Fairness fairness = properties.fairness();
        DecLockProperties.Protocol protocol = properties.protocol();
        return new ComputeNodeSettings(
                properties.namespace(),
                nodeName(properties, applicationName),
                properties.waitTime(),
                properties.lease(),
                properties.heartbeatInterval(),
                properties.leaseMargin(),
                properties.failFast(),
                properties.clockSyncInterval(),
                properties.maxIdleLocks(),
                properties.spin().toNanos(),
                new LocalSettings(
                        fairness.policy(),
                        fairness.localHandOverLimit(),
                        fairness.localHandOverTime(),
                        fairness.readerPhases()),
                new CqlSettings(
                        protocol.selfCheckInterval(),
                        protocol.prefetchInterval(),
                        protocol.refetchLimit(),
                        protocol.refetchInterval(),
                        protocol.suspectAfter(),
                        protocol.resetPollInterval(),
                        protocol.resetResendInterval(),
                        protocol.preArmedHandOver(),
                        protocol.releaseRead()));
    }

    /** Parses the addresses of the memory nodes. */
    static List<MemoryNodeAddress> addresses(List<String> texts) {
        Set<MemoryNodeAddress> addresses = new LinkedHashSet<>();
        for (String text : texts) {
            MemoryNodeAddress address;
            try {
                address = MemoryNodeAddress.parse(text);
            } catch (IllegalArgumentException e) {
                throw new InvalidDecLockPropertyException(
                        "declock.memory-nodes",
                        text,
                        "it is not the address of a memory node",
                        "Write tcp://host:port, for example tcp://declock.internal:7420; several are separated by commas.",
                        e);
            }
            if (!addresses.add(address)) {
                throw new InvalidDecLockPropertyException(
                        "declock.memory-nodes", text, "it is listed twice", "List each memory node once.", null);
            }
        }
        return List.copyOf(addresses);
    }

    /** Checks each value, and the values against each other. */
    static void check(DecLockProperties properties) {
        Duration lease = properties.lease();
        positive("declock.lease", lease);
        positive("declock.heartbeat-interval", properties.heartbeatInterval());
        positive("declock.clock-sync-interval", properties.clockSyncInterval());
        positive("declock.shutdown.timeout", properties.shutdown().timeout());
        notNegative("declock.lease-margin", properties.leaseMargin());
        notNegative("declock.wait-time", properties.waitTime());
        notNegative("declock.startup.timeout", properties.startup().timeout());
        notNegative(
                "declock.resilience.circuit-breaker.open-after",
                properties.resilience().circuitBreaker().openAfter());
        if (properties.heartbeatInterval().multipliedBy(3).compareTo(lease) > 0) {
            throw new InvalidDecLockPropertyException(
                    "declock.heartbeat-interval",
                    text(properties.heartbeatInterval()),
                    "it must be at most a third of declock.lease, which is " + text(lease),
                    (lease.toMillis() < 3
                                    ? "Set"
                                    : "Set declock.heartbeat-interval to " + text(lease.dividedBy(3)) + " or less, or")
                            + " declock.lease to "
                            + text(properties.heartbeatInterval().multipliedBy(3)) + " or more.",
                    null);
        }
        if (properties.leaseMargin().plus(properties.heartbeatInterval()).compareTo(lease) >= 0) {
            throw new InvalidDecLockPropertyException(
                    "declock.lease-margin",
                    text(properties.leaseMargin()),
                    "together with declock.heartbeat-interval, which is " + text(properties.heartbeatInterval())
                            + ", it must be shorter than declock.lease, which is " + text(lease),
                    "Set declock.lease-margin to less than " + text(lease.minus(properties.heartbeatInterval()))
                            + ", or make the lease longer.",
                    null);
        }
        if (!StringUtils.hasText(properties.namespace())) {
            throw new InvalidDecLockPropertyException(
                    "declock.namespace",
                    properties.namespace(),
                    "it is empty",
                    "Remove it to use the namespace 'default'.",
                    null);
        }
        range("declock.max-idle-locks", properties.maxIdleLocks(), 1, Integer.MAX_VALUE);
        range("declock.peer.port", properties.peer().port(), 0, 65_535);
        range("declock.embedded.port", properties.embedded().port(), 0, 65_535);
        range("declock.embedded.records", properties.embedded().records(), 1, Integer.MAX_VALUE);
        range("declock.embedded.records-per-session", properties.embedded().recordsPerSession(), 0, Integer.MAX_VALUE);
        range(
                "declock.fairness.local-hand-over-limit",
                properties.fairness().localHandOverLimit(),
                0,
                Integer.MAX_VALUE);
        range("declock.tcp.event-loop-threads", properties.tcp().eventLoopThreads(), 1, 1024);
        int capacity = properties.embedded().queueCapacity();
        if (capacity < 2 || capacity > 256 || Integer.bitCount(capacity) != 1) {
            throw new InvalidDecLockPropertyException(
                    "declock.embedded.queue-capacity",
                    String.valueOf(capacity),
                    "it must be a power of two from 2 to 256",
                    "Use 64 unless more instances than that share the memory node.",
                    null);
        }
    }

    private static void range(String property, int value, int min, int max) {
        if (value < min || value > max) {
            throw new InvalidDecLockPropertyException(
                    property,
                    String.valueOf(value),
                    max == Integer.MAX_VALUE ? "it must be at least " + min : "it must be from " + min + " to " + max,
                    "Correct it, or remove it to use the default.",
                    null);
        }
    }

    private static void positive(String property, Duration value) {
        notNegative(property, value);
        if (value.isZero()) {
            throw new InvalidDecLockPropertyException(
                    property,
                    text(value),
                    "it must be longer than zero",
                    "Correct it, or remove it to use the default.",
                    null);
        }
    }

    private static void notNegative(String property, Duration value) {
        if (value.isNegative()) {
            throw new InvalidDecLockPropertyException(
                    property, text(value), "it is negative", "Correct it, or remove it to use the default.", null);
        }
    }

    private static String text(Duration duration) {
        return DurationStyle.SIMPLE.print(duration, java.time.temporal.ChronoUnit.MILLIS);
    }

    private static String nodeName(DecLockProperties properties, @Nullable String applicationName) {
        if (StringUtils.hasText(properties.nodeName())) {
            return properties.nodeName();
        }
        String application = StringUtils.hasText(applicationName) ? applicationName : "application";
        return application + "@" + ProcessHandle.current().pid();
    }
}
