// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.CqlSettings;
import java.time.Duration;

/**
 * What sessions need to know of the compute node's settings.
 *
 * @param name what the process calls itself
 * @param processId identifies the process
 * @param lease lease asked for
 * @param heartbeatInterval how often the lease is renewed
 * @param leaseMargin how much earlier than the memory node this process counts its lease as over
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
     * Returns these settings for a lease that a memory node granted: if it is shorter than was asked for, heartbeats and margin are
     * shorter in the same proportion, because they would not fit into it otherwise.
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
