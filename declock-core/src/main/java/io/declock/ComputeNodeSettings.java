// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a compute node.
 *
 * @param namespace names live in a namespace; processes that share locks must use the same one
 * @param name display name of this process, for people
 * @param defaultWaitTime wait time of requests that set none
 * @param lease lease asked for, at least 10 ms; a memory node declares this process dead when it has been silent for the lease and a margin
 * @param heartbeatInterval how often the lease is renewed; at most a third of the lease, a sixth of it by default
 * @param leaseMargin how much earlier than the memory node this process treats its own lease as expired; a twelfth of the
 *     lease by default
 * @param failFast whether acquisitions fail at once, instead of waiting, while there is no session with the memory node
 * @param clockSyncInterval how often the clock offset is measured, at least; each heartbeat measures it, too. 5 s by default
 * @param maxIdleLocks idle lock names kept with their resolved records; more are forgotten
 * @param spin how long the first caller in line behind a holder of this node spins before it parks, zero for never
 * @param local bounds of the local level
 * @param keep when positions are kept that nobody uses
 * @param cql intervals of the protocol
 */
public record ComputeNodeSettings(
        String namespace,
        String name,
        Duration defaultWaitTime,
        Duration lease,
        Duration heartbeatInterval,
        Duration leaseMargin,
        boolean failFast,
        Duration clockSyncInterval,
        int maxIdleLocks,
        Duration spin,
        LocalSettings local,
        KeepSettings keep,
        CqlSettings cql) {
    /** The shortest lease that can be asked for: with a shorter one, heartbeats would fill the connection and still come late. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

    /** The defaults. */
    public static final ComputeNodeSettings DEFAULTS = builder().build();

    /** With so many heartbeats per lease, losing one or two of them does not lose the lease. */
    private static final int HEARTBEATS_PER_LEASE = 6;

    private static final int MARGINS_PER_LEASE = 12;

    /**
     * Checks the values and their relations.
     *
     * @throws InvalidSettingException if a value cannot work
     */
    public ComputeNodeSettings {
        checkNamespace(namespace);
        SettingChecks.notNegative("defaultWaitTime", defaultWaitTime);
        SettingChecks.positive("lease", lease);
        SettingChecks.atLeast("lease", lease, SHORTEST_LEASE);
        SettingChecks.positive("heartbeatInterval", heartbeatInterval);
        SettingChecks.notNegative("leaseMargin", leaseMargin);
        SettingChecks.positive("clockSyncInterval", clockSyncInterval);
        SettingChecks.atLeast("maxIdleLocks", maxIdleLocks, 1);
        SettingChecks.notNegative("spin", spin);
        checkLease(lease, heartbeatInterval, leaseMargin);
    }

    private static void checkNamespace(String namespace) {
        if (namespace.isBlank()) {
            throw new InvalidSettingException(
                    "namespace", namespace, "it is empty", "Remove it to use the namespace 'default'.");
        }
        try {
            LockNames.checkEncodable("it", namespace);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(
                    "namespace", LockNames.quoted(namespace), String.valueOf(e.getMessage()), "Correct it.");
        }
    }

    private static void checkLease(Duration lease, Duration heartbeat, Duration margin) {
        String isLease = "{lease}, which is " + SettingChecks.text(lease);
        if (heartbeat.multipliedBy(3).compareTo(lease) > 0) {
            throw new InvalidSettingException(
                    "heartbeatInterval",
                    SettingChecks.text(heartbeat),
                    "it must be at most a third of " + isLease,
                    "Set {heartbeatInterval} to " + SettingChecks.text(lease.dividedBy(3)) + " or less, or {lease} to "
                            + SettingChecks.text(heartbeat.multipliedBy(3)) + " or more.");
        }
        if (margin.plus(heartbeat).compareTo(lease) >= 0) {
            throw new InvalidSettingException(
                    "leaseMargin",
                    SettingChecks.text(margin),
                    "together with {heartbeatInterval}, which is " + SettingChecks.text(heartbeat)
                            + ", it must be shorter than " + isLease,
                    "Set {leaseMargin} to less than " + SettingChecks.text(lease.minus(heartbeat))
                            + ", or make the lease longer.");
        }
    }

    /** {@return a builder that begins with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds ComputeNodeSettings; what is not set has its default. Not thread-safe. */
    public static final class Builder {
        private String namespace = "default";
        private String name = "declock";
        private Duration defaultWaitTime = LockRequest.DEFAULT_WAIT_TIME;
        private Duration lease = Duration.ofSeconds(3);
        private @Nullable Duration heartbeatInterval;
        private @Nullable Duration leaseMargin;
        private boolean failFast = false;
        private Duration clockSyncInterval = Duration.ofSeconds(5);
        private int maxIdleLocks = 65_536;
        private Duration spin = Duration.ofNanos(20_000);
        private LocalSettings local = LocalSettings.DEFAULTS;
        private KeepSettings keep = KeepSettings.DEFAULTS;
        private CqlSettings cql = CqlSettings.DEFAULTS;

        private Builder() {}

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#namespace}}
         *
         * @param namespace the value
         */
        public Builder namespace(String namespace) {
            this.namespace = namespace;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#name}}
         *
         * @param name the value
         */
        public Builder name(String name) {
            this.name = name;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#defaultWaitTime}}
         *
         * @param defaultWaitTime the value
         */
        public Builder defaultWaitTime(Duration defaultWaitTime) {
            this.defaultWaitTime = defaultWaitTime;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#lease}}
         *
         * @param lease the value
         */
        public Builder lease(Duration lease) {
            this.lease = lease;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#heartbeatInterval}}
         *
         * @param heartbeatInterval the value, null to derive it from the lease
         */
        public Builder heartbeatInterval(@Nullable Duration heartbeatInterval) {
            this.heartbeatInterval = heartbeatInterval;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#leaseMargin}}
         *
         * @param leaseMargin the value, null to derive it from the lease
         */
        public Builder leaseMargin(@Nullable Duration leaseMargin) {
            this.leaseMargin = leaseMargin;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#failFast}}
         *
         * @param failFast the value
         */
        public Builder failFast(boolean failFast) {
            this.failFast = failFast;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#clockSyncInterval}}
         *
         * @param clockSyncInterval the value
         */
        public Builder clockSyncInterval(Duration clockSyncInterval) {
            this.clockSyncInterval = clockSyncInterval;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#maxIdleLocks}}
         *
         * @param maxIdleLocks the value
         */
        public Builder maxIdleLocks(int maxIdleLocks) {
            this.maxIdleLocks = maxIdleLocks;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#spin}}
         *
         * @param spin the value
         */
        public Builder spin(Duration spin) {
            this.spin = spin;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#local}}
         *
         * @param local the value
         */
        public Builder local(LocalSettings local) {
            this.local = local;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#keep}}
         *
         * @param keep the value
         */
        public Builder keep(KeepSettings keep) {
            this.keep = keep;
            return this;
        }

        /**
         * {@return this builder, with another {@link ComputeNodeSettings#cql}}
         *
         * @param cql the value
         */
        public Builder cql(CqlSettings cql) {
            this.cql = cql;
            return this;
        }

        /**
         * {@return the settings}
         *
         * @throws InvalidSettingException if a value cannot work
         */
        public ComputeNodeSettings build() {
            return new ComputeNodeSettings(
                    namespace,
                    name,
                    defaultWaitTime,
                    lease,
                    heartbeatInterval == null ? lease.dividedBy(HEARTBEATS_PER_LEASE) : heartbeatInterval,
                    leaseMargin == null ? lease.dividedBy(MARGINS_PER_LEASE) : leaseMargin,
                    failFast,
                    clockSyncInterval,
                    maxIdleLocks,
                    spin,
                    local,
                    keep,
                    cql);
        }
    }
}
