// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.internal.memorynode.MemoryNodeSettings;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Settings follow from the lease where they are not set, and a value that cannot work is refused with its name and a mend. */
class SettingsTest {
    @Test
    void heartbeatAndMarginFollowFromTheLease() {
        ComputeNodeSettings settings =
                ComputeNodeSettings.builder().lease(Duration.ofMillis(600)).build();
        assertThat(settings.heartbeatInterval()).isEqualTo(Duration.ofMillis(100));
        assertThat(settings.leaseMargin()).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void aRefusalNamesSettingValueReasonAndMend() {
        InvalidSettingException refusal = refused(() -> ComputeNodeSettings.builder()
                .heartbeatInterval(Duration.ofSeconds(2))
                .build());
        assertThat(refusal.setting()).isEqualTo("heartbeatInterval");
        assertThat(refusal.value()).isEqualTo("2000ms");
        assertThat(refusal)
                .hasMessage(
                        "heartbeatInterval=2000ms cannot be used because it must be at most a third of lease, which is"
                                + " 3000ms. Set heartbeatInterval to 1000ms or less, or lease to 6000ms or more.");
    }

    @Test
    void aRefusalSpeaksOfThePropertiesThatWereSet() {
        InvalidSettingException refusal = refused(() -> MemoryNodeSettings.builder("mn")
                        .maxLease(Duration.ofSeconds(11))
                        .build())
                .named(setting -> "locks." + setting)
                .named(String::toUpperCase);
        assertThat(refusal.setting()).isEqualTo("LOCKS.MAXLEASE");
        assertThat(refusal.reason()).contains("longer than LOCKS.FORMERLEASE, which is 10000ms");
        assertThat(refusal.mend()).startsWith("Raise LOCKS.FORMERLEASE, and").doesNotContain("{");
    }

    @Test
    void valuesThatCannotWorkAreRefused() {
        refused(() -> CqlSettings.builder().selfCheckInterval(Duration.ZERO).build());
        refused(() -> LocalSettings.builder().localHandOverLimit(-1).build());
        refused(() -> ComputeNodeSettings.builder().namespace(" ").build());
        refused(() -> TcpFabricSettings.builder().peerPort(65_536).build());
        refused(() -> TcpFabricSettings.builder().maxInFlight(48).build());
        refused(() -> MemoryNodeSettings.builder("").build());
        assertThat(refused(
                        () -> TcpFabricSettings.builder().secret("short-secret").build()))
                .hasMessageNotContaining("short-secret");
    }

    /** It could never be renewed in time, and the heartbeats of a try would fill the connection. */
    @Test
    void aLeaseThatNobodyCouldRenewIsRefused() {
        for (Duration lease : new Duration[] {Duration.ofNanos(1), Duration.ofNanos(100), Duration.ofMillis(9)}) {
            assertThat(refused(() -> ComputeNodeSettings.builder().lease(lease).build()))
                    .hasMessageContaining("lease=" + SettingChecks.text(lease))
                    .hasMessageContaining("at least 10ms");
            assertThat(refused(() ->
                            MemoryNodeSettings.builder("mn").maxLease(lease).build()))
                    .hasMessageContaining("maxLease=" + SettingChecks.text(lease))
                    .hasMessageContaining("at least 50ms");
        }
        ComputeNodeSettings.builder().lease(ComputeNodeSettings.SHORTEST_LEASE).build();
        MemoryNodeSettings.builder("mn")
                .maxLease(MemoryNodeSettings.SHORTEST_LEASE)
                .build();
    }

    private static InvalidSettingException refused(ThrowingCallable made) {
        InvalidSettingException[] refusal = new InvalidSettingException[1];
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(made)
                .satisfies(thrown -> refusal[0] = thrown);
        return refusal[0];
    }
}
