// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.tcp.wire.EventLoops;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LongestEventLoopLagTest {
    private static final Duration HELD_UP = Duration.ofMillis(900);
    // A task that was due when the loop was held up waited for all but one interval of the probe.
    private static final Duration SEEN = Duration.ofMillis(600);

    @Test
    void aLoopThatIsHeldUpShowsMeanwhileAndAfterwards() throws Exception {
        EventLoops loops = EventLoops.start(2, 0, "test");
        try {
            LongestEventLoopLag lag = new LongestEventLoopLag(loops);
            CountDownLatch heldUp = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            loops.group().next().execute(() -> {
                heldUp.countDown();
                awaitQuietly(goOn);
            });
            heldUp.await();

            assertThat(new CountDownLatch(1).await(HELD_UP.toMillis(), TimeUnit.MILLISECONDS))
                    .isFalse();
            assertThat(lag.longest()).isGreaterThan(SEEN);

            goOn.countDown();
            loops.group().next().submit(() -> {}).sync();
            loops.group().next().submit(() -> {}).sync();
            assertThat(new CountDownLatch(1).await(HELD_UP.toMillis(), TimeUnit.MILLISECONDS))
                    .isFalse();
            assertThat(lag.longest()).isGreaterThan(SEEN);
        } finally {
            loops.close();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
