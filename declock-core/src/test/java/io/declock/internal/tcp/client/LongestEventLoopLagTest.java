// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.internal.tcp.wire.EventLoops;
import io.declock.internal.tcp.wire.HeldUpLoop;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(60)
class LongestEventLoopLagTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SEEN = Duration.ofMillis(600);
    // Longer than the interval of the probes.
    private static final long NEXT_PROBE_MILLIS = 1_500;

    private final EventLoops loops = EventLoops.start(2, 0, "test");

    @AfterEach
    void stop() {
        loops.close();
    }

    @Test
    void aLoopThatIsHeldUpShowsMeanwhileAndAfterwards() throws Exception {
        LongestEventLoopLag lag = new LongestEventLoopLag(loops);
        try (HeldUpLoop loop = new HeldUpLoop(loops)) {
            await().atMost(PATIENCE).until(() -> lag.longest().compareTo(SEEN) > 0);
            loop.goOn(NEXT_PROBE_MILLIS, MILLISECONDS);
            assertThat(lag.longest()).isGreaterThan(SEEN);
        }
    }

    @Test
    void aLoopThatWasHeldUpLongAgoIsForgotten() throws Exception {
        LongestEventLoopLag lag = new LongestEventLoopLag(loops, Duration.ofSeconds(1));
        try (HeldUpLoop loop = new HeldUpLoop(loops)) {
            await().atMost(PATIENCE).until(() -> lag.longest().compareTo(SEEN) > 0);
            loop.goOn(NEXT_PROBE_MILLIS, MILLISECONDS);
            await().atMost(PATIENCE).until(() -> lag.longest().compareTo(SEEN) < 0);
        }
    }
}
