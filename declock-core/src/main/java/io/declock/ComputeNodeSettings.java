// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;

/**
 * Settings of a compute node.
 *
 * @param namespace names live in a namespace; processes that share locks must use the same one
 * @param name display name of this process, for people
 * @param defaultWaitTime wait time of requests that set none
 * @param lease lease asked for; a memory node declares this process dead when it has been silent for the lease and a margin
 * @param heartbeatInterval how often the lease is renewed; at most a third of the lease
 * @param leaseMargin how much earlier than the memory node this process treats its own lease as expired
 * @param failFast whether acquisitions fail at once, instead of waiting, while there is no session with the memory node
 * @param clockSyncInterval how often the clock offset is measured
 * @param maxIdleLocks idle lock names kept with their resolved records; more are forgotten
 * @param spinNanos how long the first caller in line behind a holder of this node spins before it parks, 0 for never
 * @param local bounds of the local level
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
        long spinNanos,
        LocalSettings local,
        CqlSettings cql) {
    /** The defaults. */
    public static final ComputeNodeSettings DEFAULTS = new ComputeNodeSettings(
            "default",
            "declock",
            Duration.ofSeconds(30),
            Duration.ofSeconds(3),
            Duration.ofMillis(500),
            Duration.ofMillis(250),
            false,
            Duration.ofSeconds(1),
            65_536,
            20_000,
            LocalSettings.DEFAULTS,
            CqlSettings.DEFAULTS);

    /** Checks the values and their relations. */
    public ComputeNodeSettings {
        LockNames.checkEncodable("a namespace", namespace);
        positive("lease", lease);
        positive("heartbeatInterval", heartbeatInterval);
        positive("clockSyncInterval", clockSyncInterval);
        if (heartbeatInterval.multipliedBy(3).compareTo(lease) > 0) {
            throw new IllegalArgumentException(
                    "heartbeatInterval " + heartbeatInterval + " must be at most a third of the lease " + lease);
        }
        if (leaseMargin.isNegative() || leaseMargin.plus(heartbeatInterval).compareTo(lease) >= 0) {
            throw new IllegalArgumentException("leaseMargin " + leaseMargin + " and heartbeatInterval "
                    + heartbeatInterval + " together must be shorter than the lease " + lease);
        }
        if (defaultWaitTime.isNegative()) {
            throw new IllegalArgumentException("defaultWaitTime must not be negative: " + defaultWaitTime);
        }
        if (maxIdleLocks < 1) {
            throw new IllegalArgumentException("maxIdleLocks must be at least 1: " + maxIdleLocks);
        }
    }

    /**
     * {@return these with another namespace; processes share locks only within one namespace}
     *
     * @param other the new namespace
     */
    public ComputeNodeSettings withNamespace(String other) {
        return new ComputeNodeSettings(
                other,
                name,
                defaultWaitTime,
                lease,
                heartbeatInterval,
                leaseMargin,
                failFast,
                clockSyncInterval,
                maxIdleLocks,
                spinNanos,
                local,
                cql);
    }

    /**
     * {@return these with another wait time for requests that set none}
     *
     * @param waitTime the new bound
     */
    public ComputeNodeSettings withDefaultWaitTime(Duration waitTime) {
        return new ComputeNodeSettings(
                namespace,
                name,
                waitTime,
                lease,
                heartbeatInterval,
                leaseMargin,
                failFast,
                clockSyncInterval,
                maxIdleLocks,
                spinNanos,
                local,
                cql);
    }

    /**
     * {@return these with another lease, and the heartbeat interval and margin that depend on it}
     *
     * @param newLease the new lease
     * @param newHeartbeatInterval the new heartbeat interval
     * @param newLeaseMargin the new margin
     */
    public ComputeNodeSettings withLease(Duration newLease, Duration newHeartbeatInterval, Duration newLeaseMargin) {
        return new ComputeNodeSettings(
                namespace,
                name,
                defaultWaitTime,
                newLease,
                newHeartbeatInterval,
                newLeaseMargin,
                failFast,
                clockSyncInterval,
                maxIdleLocks,
                spinNanos,
                local,
                cql);
    }

    /**
     * {@return these with another choice between failing at once and waiting while a memory node is unavailable}
     *
     * @param fails whether acquisitions fail at once
     */
    public ComputeNodeSettings withFailFast(boolean fails) {
        return new ComputeNodeSettings(
                namespace,
                name,
                defaultWaitTime,
                lease,
                heartbeatInterval,
                leaseMargin,
                fails,
                clockSyncInterval,
                maxIdleLocks,
                spinNanos,
                local,
                cql);
    }

    /**
     * {@return these with another bound on the idle names kept}
     *
     * @param idleLocks the new bound
     */
    public ComputeNodeSettings withMaxIdleLocks(int idleLocks) {
        return new ComputeNodeSettings(
                namespace,
                name,
                defaultWaitTime,
                lease,
                heartbeatInterval,
                leaseMargin,
                failFast,
                clockSyncInterval,
                idleLocks,
                spinNanos,
                local,
                cql);
    }

    /**
     * {@return these with another time for which the first caller in line spins before it parks; zero for never}
     *
     * @param spin the new time
     */
    public ComputeNodeSettings withSpin(Duration spin) {
        return new ComputeNodeSettings(
                namespace,
                name,
                defaultWaitTime,
                lease,
                heartbeatInterval,
                leaseMargin,
                failFast,
                clockSyncInterval,
                maxIdleLocks,
                spin.toNanos(),
                local,
                cql);
    }

    /**
     * {@return these with other settings of the local level}
     *
     * @param other the new settings
     */
    public ComputeNodeSettings withLocal(LocalSettings other) {
        return new ComputeNodeSettings(
                namespace,
                name,
                defaultWaitTime,
                lease,
                heartbeatInterval,
                leaseMargin,
                failFast,
                clockSyncInterval,
                maxIdleLocks,
                spinNanos,
                other,
                cql);
    }

    /**
     * {@return these with other settings of the remote level}
     *
     * @param other the new settings
     */
    public ComputeNodeSettings withCql(CqlSettings other) {
        return new ComputeNodeSettings(
                namespace,
                name,
                defaultWaitTime,
                lease,
                heartbeatInterval,
                leaseMargin,
                failFast,
                clockSyncInterval,
                maxIdleLocks,
                spinNanos,
                local,
                other);
    }

    private static void positive(String what, Duration duration) {
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException(what + " must be positive: " + duration);
        }
    }
}
