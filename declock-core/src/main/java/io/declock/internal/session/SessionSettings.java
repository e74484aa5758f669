// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.CqlSettings;
import java.time.Duration;

/**
 * The compute node's settings that concern sessions.
 *
 * @param name display name of the process
 * @param processId identifies the process
 * @param lease lease asked for
 * @param heartbeatInterval how often the lease is renewed
 * @param leaseMargin how much earlier than the memory node this process treats its lease as expired
 * @param clockSyncInterval how often the clock offset is measured
 * @param cql intervals of the protocol
 */
public record SessionSettings(
        String name,
        long processId,
        Duration lease,
        Duration heartbeatInterval,
        Duration leaseMargin,
        Duration clockSyncInterval,
        CqlSettings cql) {
    /**
     * Returns these settings for a lease that a memory node granted: if it is shorter than was asked for, heartbeats and margin are shorter
     * in the same proportion, because otherwise they would not fit into the lease.
     */
    SessionSettings granted(long leaseNanos) {
        double share = (double) leaseNanos / lease.toNanos();
        return share >= 1
                ? this
                : new SessionSettings(
                        name,
                        processId,
                        Duration.ofNanos(leaseNanos),
                        Duration.ofNanos(Math.max(1, (long) (heartbeatInterval.toNanos() * share))),
                        Duration.ofNanos((long) (leaseMargin.toNanos() * share)),
                        clockSyncInterval,
                        cql);
    }
}
