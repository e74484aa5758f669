// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.kubernetes;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Remembers since when each memory node's {@code Lease} has been seen in one version, by this process's clock. Thread-safe. */
final class LeaseSightings {
    private final LongSupplier clock;
    private final Map<String, Sighting> latest = new ConcurrentHashMap<>();

    LeaseSightings(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Since when one version has been seen.
     *
     * @param version empty if there is no Lease
     */
    record Sighting(String version, long since) {}

    /** Notes the version that was just seen, and returns since when it has been seen. */
    Sighting note(String memoryNode, @Nullable Lease seen) {
        String version = seen == null ? "" : seen.getMetadata().getResourceVersion();
        Sighting now = new Sighting(version, clock.getAsLong());
        return latest.merge(memoryNode, now, (before, fresh) -> before.version().equals(version) ? before : fresh);
    }

    /** Returns whether a version has been seen for less than that. */
    boolean isWithin(Duration time, Sighting sighting) {
        return clock.getAsLong() - sighting.since() < time.toNanos();
    }
}
