// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LockRequestTest {
    @Test
    void mostRequestsHaveOneName() {
        LockRequest request = LockRequest.read("a").waitTime(Duration.ZERO).leaseTime(Duration.ofSeconds(1));
        assertThat(request.isSingle()).isTrue();
        assertThat(request.name()).isEqualTo("a");
        assertThat(request.mode()).isEqualTo(LockMode.READ);
        assertThat(request.names()).containsExactlyEntriesOf(Map.of("a", LockMode.READ));
    }

    @Test
    void theFirstNameStaysTheFirst() {
        LockRequest request = LockRequest.read("b").andWrite("a");
        assertThat(request.isSingle()).isFalse();
        assertThat(request.name()).isEqualTo("b");
        assertThat(request.mode()).isEqualTo(LockMode.READ);
        assertThat(request.names()).containsOnlyKeys("b", "a");
    }

    @Test
    void theStrongerModeWins() {
        LockRequest upgraded = LockRequest.read("a").andWrite("a");
        assertThat(upgraded.isSingle()).isTrue();
        assertThat(upgraded.mode()).isEqualTo(LockMode.WRITE);
        assertThat(LockRequest.write("a").andRead("a").mode()).isEqualTo(LockMode.WRITE);
    }
}
