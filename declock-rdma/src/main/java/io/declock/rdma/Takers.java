// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that wait for chains of their own on one queue pair. For a moment they take completions themselves, as they would
 * otherwise sleep until the completion thread has taken theirs and woken them, which costs many times the round trip. Thread-safe.
 */
final class Takers {
    private final Source source;
    private final long pollNanos;
    private final AtomicInteger present = new AtomicInteger();

    /** How a thread takes completions. */
    interface Source {
        /** Takes what has completed, unless somebody else does already; returns whether there was anything. */
        boolean take();

        /** Returns whether the calling thread is being called by a completion that it takes. */
        boolean isTaking();
    }

    /** Where the chains are. */
    @FunctionalInterface
    interface Ring {
        /** Returns whether a chain has completed, or will not any more. */
        boolean isOver(long sequence);
    }

    /**
     * Makes one without threads.
     *
     * @param pollNanos for how long a thread takes; 0 for not at all
     */
    Takers(Source source, long pollNanos) {
        this.source = source;
        this.pollNanos = pollNanos;
    }

    /** Counts the calling thread in, unless it must not take; if so, {@link #leave} must follow. */
    boolean enter() {
        if (pollNanos <= 0 || source.isTaking()) {
            return false;
        }
        present.incrementAndGet();
        return true;
    }

    /** Takes until that chain is over, or the time is. */
    void takeUntil(Ring ring, long sequence) {
        long since = System.nanoTime();
        while (!ring.isOver(sequence) && (source.take() || System.nanoTime() - since < pollNanos)) {
            Thread.onSpinWait();
        }
    }

    void leave() {
        present.decrementAndGet();
    }

    /** Returns whether there are any: then the completion thread is not needed. */
    boolean isAnyPresent() {
        return present.get() > 0;
    }
}
