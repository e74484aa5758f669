// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

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
            null, 14, 3, 7, 128, 16, 64, Duration.ofNanos(20_000), Duration.ofSeconds(5), Duration.ofSeconds(5));

    /** Checks the values. */
    public ConnectionSettings {
        between("ack-timeout", ackTimeout, 0, 31);
        between("retry-count", retryCount, 0, 7);
        between("rnr-retry-count", rnrRetryCount, 0, 7);
        between("max-in-flight", maxInFlight, 1, 4096);
        between("max-reads-and-atomics", maxReadsAndAtomics, 1, 255);
        between("inline-bytes", inlineBytes, 0, 4096);
        if (Integer.bitCount(maxInFlight) != 1) {
            throw new IllegalArgumentException("max-in-flight must be a power of two: " + maxInFlight);
        }
        if (pollTime.isNegative() || !connectTimeout.isPositive() || !requestTimeout.isPositive()) {
            throw new IllegalArgumentException("poll-time must not be negative, time-outs must be positive: " + pollTime
                    + ", " + connectTimeout + ", " + requestTimeout);
        }
    }

    private static void between(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ": " + value);
        }
    }
}
