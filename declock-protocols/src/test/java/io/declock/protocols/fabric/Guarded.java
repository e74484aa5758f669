// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What a lock guards in these tests. It throws in a holder that finds another one beside it. Thread-safe. */
final class Guarded {
    private static final int WRITER = -1;

    /** The number of readers, or {@link #WRITER}. */
    private final AtomicInteger present = new AtomicInteger();

    private final LongAdder writes = new LongAdder();
    /** Changed in two steps, so that a write is lost if two writers come at a time. */
    private volatile long value;

    /** One that holds the lock comes, does something, and goes. */
    void visit(LockMode mode) {
        if (mode == LockMode.WRITE) {
            assertThat(present.compareAndExchange(0, WRITER))
                    .as("who is beside a writer")
                    .isZero();
            long before = value;
            Thread.yield();
            value = before + 1;
            writes.increment();
            present.set(0);
        } else {
            assertThat(present.getAndUpdate(now -> now == WRITER ? now : now + 1))
                    .as("who is beside a reader")
                    .isNotNegative();
            long before = value;
            Thread.yield();
            assertThat(value).as("what a reader sees").isEqualTo(before);
            present.decrementAndGet();
        }
    }

    /** Checks that no write was lost, when nobody is at work. */
    void assertNothingIsLost() {
        assertThat(value).isEqualTo(writes.sum());
    }
}
