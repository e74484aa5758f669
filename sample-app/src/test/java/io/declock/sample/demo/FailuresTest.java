// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The judgement of requests that failed while faults were injected. */
class FailuresTest {
    private static final Outage SECOND_SHOP_FROM_10_TO_20 = new Outage(1, seconds(10), seconds(20));

    private static long seconds(int seconds) {
        // Readings of System#nanoTime may overflow.
        return Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(15) + TimeUnit.SECONDS.toNanos(seconds);
    }

    private static FailedRequest failed(int shop, int began, int ended) {
        return new FailedRequest(shop, seconds(began), seconds(ended), "POST /orders: HTTP 503");
    }

    private static Failures judged(FailedRequest... failed) {
        return Failures.of(List.of(failed), List.of(SECOND_SHOP_FROM_10_TO_20));
    }

    @Test
    void anOutageExplainsWhatItsShopHadInWorkAndWhatWasAskedOfItMeanwhile() {
        Failures failures = judged(failed(1, 5, 12), failed(1, 12, 13), failed(1, 18, 25), failed(1, 5, 30));

        assertThat(failures.explained()).hasSize(4);
        assertThat(failures.unexplained()).isEmpty();
        assertThat(failures.describeUnexplained(seconds(0))).isEmpty();
    }

    @Test
    void nothingExplainsAFailureBeforeOrAfterItOrAtAnotherShop() {
        Failures failures = judged(failed(1, 5, 9), failed(1, 21, 22), failed(2, 12, 13));

        assertThat(failures.explained()).isEmpty();
        assertThat(failures.describeUnexplained(seconds(0)))
                .containsExactly(
                        "2 x shop-2: POST /orders: HTTP 503, failed from 9.0 s to 22.0 s",
                        "1 x shop-3: POST /orders: HTTP 503, failed from 13.0 s to 13.0 s");
    }

    @Test
    void withoutOutagesEveryFailureCounts() {
        Failures failures = Failures.of(List.of(failed(0, 1, 2)), List.of());

        assertThat(failures.unexplained()).hasSize(1);
    }
}
