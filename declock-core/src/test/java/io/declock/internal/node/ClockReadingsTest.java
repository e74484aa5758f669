// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.internal.protocol.Effects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A reading of the clock costs as much as the rest of a step, so an event reads it once. */
@Timeout(60)
class ClockReadingsTest {
    private final Thread caller = Thread.currentThread();
    private long readings;

    /** Counts only the caller's readings: heartbeats and timers have their own. */
    private long read() {
        if (Thread.currentThread() == caller) {
            readings++;
        }
        return System.nanoTime();
    }

    @Test
    void acquiringReadsTheClockTwiceAndReleasingOnce() throws Exception {
        try (LockRig rig = LockRig.inProcess()) {
            ComputeNode node = rig.join(builder -> builder.time(this::read, rig.timer(), LockRig.RANDOM));
            // Finds the record.
            node.acquire(LockRequest.write("x")).close();
            readings = 0;
            LockHandle handle = node.acquire(LockRequest.write("x"));
            assertThat(readings).as("asked for, granted").isEqualTo(2);
            readings = 0;
            handle.close();
            assertThat(readings).as("given back").isEqualTo(1);
        }
    }

    @Test
    void anEventHasOneTime() {
        AtomicLong clock = new AtomicLong(7);
        Effects effects = new Effects(clock::getAndIncrement);
        assertThat(clock).as("not before somebody asks").hasValue(7);
        assertThat(effects.now()).isEqualTo(7);
        assertThat(effects.now()).isEqualTo(7);
        assertThat(clock).hasValue(8);
    }
}
