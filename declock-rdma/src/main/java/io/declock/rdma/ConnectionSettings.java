// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.SettingChecks;
import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of connections.
 *
 * @param localAddress address of the adapter to use, null to let the route decide
 * @param ackTimeout how long the adapter waits for an acknowledgement before it sends again: 4.096 us times two to this power
 * @param retryCount how often it sends again, 0 to 7
 * @param rnrRetryCount how often it sends again to a receiver without buffers, 0 to 6; 7 means until the receiver has one
 * @param maxInFlight maximum number of chains in flight per memory node, a power of two; further chains wait
 * @param maxReadsAndAtomics maximum number of READs and atomics in flight per connection; the device may allow fewer
 * @param inlineBytes WRITEs and messages up to this size are copied when they are posted, if the device supports it
 * @param pollTime how long a caller that waits for its own chain takes completions before it parks, and how long the completion thread
 *     polls after the last completion while chains are in flight that no caller waits for; zero to sleep at once
 * @param connectTimeout how long connecting may take
 * @param requestTimeout how long a chain may take
 */
public record ConnectionSettings(
        @Nullable InetAddress localAddress,
        int ackTimeout,
        int retryCount,
        int rnrRetryCount,
        int maxInFlight,
        int maxReadsAndAtomics,
        int inlineBytes,
        Duration pollTime,
        Duration connectTimeout,
        Duration requestTimeout) {
    /** The defaults; with them, the death of a host is noticed after about 0.3 s. */
    public static final ConnectionSettings DEFAULTS = new ConnectionSettings(
            /* localAddress= */ null,
            /* ackTimeout= */ 14,
            /* retryCount= */ 3,
            /* rnrRetryCount= */ 7,
            /* maxInFlight= */ 128,
            /* maxReadsAndAtomics= */ 16,
            /* inlineBytes= */ 64,
            /* pollTime= */ Duration.ofNanos(20_000),
            /* connectTimeout= */ Duration.ofSeconds(5),
            /* requestTimeout= */ Duration.ofSeconds(5));

    /**
     * Checks the values.
     *
     * @throws io.declock.InvalidSettingException if a value cannot work
     */
    public ConnectionSettings {
        SettingChecks.between("ack-timeout", ackTimeout, 0, 31);
        SettingChecks.between("retry-count", retryCount, 0, 7);
        SettingChecks.between("rnr-retry-count", rnrRetryCount, 0, 7);
        SettingChecks.powerOfTwo("max-in-flight", maxInFlight, 1, 4096);
        SettingChecks.between("max-reads-and-atomics", maxReadsAndAtomics, 1, 255);
        SettingChecks.between("inline-bytes", inlineBytes, 0, 4096);
        SettingChecks.notNegative("poll-time", pollTime);
        SettingChecks.positive("connect-timeout", connectTimeout);
        SettingChecks.positive("request-timeout", requestTimeout);
    }
}
