// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.monitor.Loop;
import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A memory node says which of its loops has stopped to run, and says nothing of one that is merely late. */
class StalledLoopsTest {
    private final ManualTime time = new ManualTime();
    private final AtomicLong serverLag = new AtomicLong();

    /** A loop whose timer never rings. */
    private Loop stuck(Duration interval) {
        Loop loop = new Loop("the watch", time, (delay, task) -> {}, interval.toNanos()) {
            @Override
            protected void step(long lateNanos) {}
        };
        loop.wake();
        return loop;
    }

    private String after(Duration interval, Duration pause) {
        StalledLoops loops = new StalledLoops(List.of(stuck(interval)), serverLag::get);
        time.jump(pause);
        return loops.describe();
    }

    @Test
    void aLoopIsStalledWhenFiveIntervalsAndTwoSecondsHavePassedSinceItWasDue() {
        assertThat(after(Duration.ofSeconds(1), Duration.ofSeconds(6))).isEmpty();
        assertThat(after(Duration.ofSeconds(1), Duration.ofMillis(6_001)))
                .isEqualTo("the watch has not run for 6001 ms");
        assertThat(after(Duration.ofMillis(1), Duration.ofMillis(2_001))).isEmpty();
        assertThat(after(Duration.ofMillis(1), Duration.ofMillis(2_002)))
                .isEqualTo("the watch has not run for 2002 ms");
    }

    @Test
    void anEventLoopOfTheServerIsStalledAfterTwoSeconds() {
        StalledLoops loops = new StalledLoops(List.of(), serverLag::get);
        serverLag.set(Duration.ofSeconds(2).toNanos());
        assertThat(loops.describe()).isEmpty();
        serverLag.set(Duration.ofMillis(2_001).toNanos());
        assertThat(loops.describe()).isEqualTo("an event loop of its server was held up for 2001 ms");
    }
}
