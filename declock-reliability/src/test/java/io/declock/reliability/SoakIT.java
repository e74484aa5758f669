// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.reliability.scenario.Soak;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random faults under load for as long as {@code -Ddeclock.soak.minutes} says; the command {@code soak} does the same. The seed is
 * printed first, and {@code -Ddeclock.soak.seed} draws the same faults again.
 */
class SoakIT {
    private static final Duration LEASE = Duration.ofMillis(1000);

    @Test
    @Timeout(3600)
    void randomFaultsUnderLoad() {
        double minutes = Boolean.getBoolean("declock.quick") ? 0.3 : Double.parseDouble(property("minutes"));
        String seed = property("seed");
        Soak.run(
                Duration.ofMillis((long) (minutes * 60_000)),
                LEASE,
                seed.isEmpty() ? System.nanoTime() : Long.parseLong(seed),
                System.out::println);
    }

    private static String property(String name) {
        return System.getProperty("declock.soak." + name, "").strip();
    }
}
