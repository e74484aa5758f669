// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.session;

import io.declock.protocol.CqlSettings;
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
        CqlSettings cql) {}
