// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp;

import io.declock.MemoryNodeAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long the TCP connection to a memory node may take.
 *
 * <p>A network that swallows packets answers nothing, and the kernel repeats its first packet only once a second, an older one
 * after one second, then two, then four: an attempt that began before the network healed notices so late, a new one at once. So a memory node that was
 * reached before is given a fraction of the lease, though no less than several times what it took then. Handshake and joining
 * have the whole time-out: they are repeated by TCP in fractions of a second. Thread-safe.
 */
final class ConnectTimeouts {
    private static final long LEAST_MILLIS = 400;
    private static final int LEASE_FRACTION = 6;
    private static final int TIMES_AS_BEFORE = 4;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Map<MemoryNodeAddress, Long> before = new ConcurrentHashMap<>();
    private final long fullMillis;

    ConnectTimeouts(Duration full) {
        this.fullMillis = full.toMillis();
    }

    /** Notes how long connecting took. */
    void connected(MemoryNodeAddress address, long tookNanos) {
        before.put(address, tookNanos);
    }

    /** Returns how many milliseconds connecting may take. */
    long millis(MemoryNodeAddress address, long leaseNanos) {
        Long took = before.get(address);
        if (took == null) {
            return fullMillis;
        }
        long fitting = Math.max(leaseNanos / LEASE_FRACTION, took * TIMES_AS_BEFORE) / NANOS_PER_MILLI;
        return Math.min(fullMillis, Math.max(LEAST_MILLIS, fitting));
    }
}
