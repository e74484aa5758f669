// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;

/**
 * Settings of a compute node.
 *
 * @param namespace names live in a namespace; processes that should meet share it
 * @param name what this process calls itself, for people
 * @param defaultWaitTime wait time of requests that do not say
 * @param lease lease asked for; a memory node declares this process dead when it was silent for that long and a margin
 * @param heartbeatInterval how often the lease is renewed; at most a third of the lease
 * @param leaseMargin how much earlier than the memory node this process counts its own lease as over
 * @param failFast whether acquisitions fail at once while the memory node has no session, in place of waiting for it
 * @param clockSyncInterval how often the clock offset is measured
 * @param maxIdleLocks idle lock names kept with their resolved records; more are forgotten
 * @param spinNanos how long a caller that comes first in line behind a holder of this node spins before it parks, 0 for never
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

    /** Checks the values against each other. */
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

    /** Returns these with another namespace; services meet only within one. */
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

    /** Returns these with another bound on waits that name none. */
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

    /** Returns these with another lease and what depends on it. */
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

    /** Returns these with acquisitions that fail at once, or wait, while a memory node is unavailable. */
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

    /** Returns these with another bound on the names kept although nobody uses them. */
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

    /** Returns these with another time for which the first in line spins before it parks; zero for never. */
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

    /** Returns these with other settings of the local level. */
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

    /** Returns these with other settings of the remote level. */
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
