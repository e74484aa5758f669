// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.internal.tcp.wire.EventLoops;
import io.declock.internal.tcp.wire.HeldUpLoop;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventLoopLagTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long SEEN_NANOS = MILLISECONDS.toNanos(500);

    private final EventLoops loops = EventLoops.start(2, 0, "test");
    private final EventLoopLag lag = new EventLoopLag(loops);

    @AfterEach
    void stop() {
        loops.close();
    }

    @Test
    void aLoopThatIsHeldUpShowsMeanwhileAndOnceAfterwards() throws Exception {
        assertThat(lag.sinceLastCall()).as("no task was left before").isZero();
        try (HeldUpLoop loop = new HeldUpLoop(loops)) {
            await().atMost(PATIENCE).until(() -> lag.sinceLastCall() > SEEN_NANOS);
            loop.goOn(0, MILLISECONDS);
            assertThat(lag.sinceLastCall()).as("a task of the last call").isGreaterThan(SEEN_NANOS);
            await().atMost(PATIENCE).until(() -> lag.sinceLastCall() < SEEN_NANOS);
        }
    }
}
