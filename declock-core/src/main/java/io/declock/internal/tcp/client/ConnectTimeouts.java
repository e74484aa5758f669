// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.MemoryNodeAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides how long connecting to a memory node by TCP may take.
 *
 * <p>A network that drops packets gives no answer, and the kernel repeats its first packet only once a second, an older kernel after one
 * second, then two, then four. So an attempt that began before the network recovered notices the recovery late, a new attempt at once.
 * Therefore an attempt for a memory node that was reached before gets a fraction of the lease, but no less than several times its last
 * connection time. Handshake and joining have the whole time-out, because TCP repeats their packets in fractions of a second. Thread-safe.
 */
final class ConnectTimeouts {
    private static final long LEAST_MILLIS = 400;
    private static final long FIRST_OF_SEVERAL_MILLIS = 1000;
    private static final int LEASE_FRACTION = 6;
    private static final int TIMES_AS_BEFORE = 4;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Map<MemoryNodeAddress, Long> before = new ConcurrentHashMap<>();
    private final long fullMillis;

    ConnectTimeouts(Duration full) {
        this.fullMillis = full.toMillis();
    }

    /** Records how long connecting took. */
    void connected(MemoryNodeAddress address, long tookNanos) {
        before.put(address, tookNanos);
    }

    /** Returns how many milliseconds connecting to the first candidate of an address may take. */
    long millis(MemoryNodeAddress address, long leaseNanos) {
        Long took = before.get(address.candidates().get(0));
        if (took == null) {
            // Another candidate may answer sooner than one whose machine is gone.
            return address.others().isEmpty() ? fullMillis : Math.min(fullMillis, FIRST_OF_SEVERAL_MILLIS);
        }
        long fitting = Math.max(leaseNanos / LEASE_FRACTION, took * TIMES_AS_BEFORE) / NANOS_PER_MILLI;
        return Math.min(fullMillis, Math.max(LEAST_MILLIS, fitting));
    }
}
