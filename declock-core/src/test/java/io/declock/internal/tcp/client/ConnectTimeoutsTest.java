// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.MemoryNodeAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConnectTimeoutsTest {
    private static final MemoryNodeAddress ONE = MemoryNodeAddress.parse("tcp://one:1");
    private static final MemoryNodeAddress OTHER = MemoryNodeAddress.parse("tcp://other:1");

    private final ConnectTimeouts timeouts = new ConnectTimeouts(Duration.ofSeconds(3));

    private static long nanos(int millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    @Test
    void whoWasNeverReachedHasTheWholeTimeout() {
        timeouts.connected(OTHER, nanos(1));
        assertThat(timeouts.millis(ONE, nanos(3000))).isEqualTo(3000);
    }

    @Test
    void whoWasReachedHasAFractionOfTheLease() {
        timeouts.connected(ONE, nanos(1));
        assertThat(timeouts.millis(ONE, nanos(3000))).isEqualTo(500);
        assertThat(timeouts.millis(ONE, nanos(200)))
                .as("bounded below, for busy machines")
                .isEqualTo(400);
        assertThat(timeouts.millis(ONE, nanos(60_000)))
                .as("never more than was set")
                .isEqualTo(3000);
    }

    @Test
    void aSlowNetworkHasSeveralTimesWhatItTookBefore() {
        timeouts.connected(ONE, nanos(300));
        assertThat(timeouts.millis(ONE, nanos(3000))).isEqualTo(1200);
        timeouts.connected(ONE, nanos(2000));
        assertThat(timeouts.millis(ONE, nanos(3000))).isEqualTo(3000);
    }
}
