// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that wait for chains of their own on one queue pair. For a moment they take completions themselves, as they would
 * otherwise sleep until the completion thread has taken theirs and woken them, which costs many times the round trip. Who leaves
 * something under way that none of those who stay waits for, has the completion thread watch it. Thread-safe.
 */
final class Takers {
    private final Source source;
    private final long pollNanos;
    private final AtomicInteger present = new AtomicInteger();

    /** How a thread takes completions. */
    interface Source {
        /** Takes what has completed, unless somebody else does already; returns whether there was anything. */
        boolean take();

        /** Has the completion thread take what completes from now on. */
        void watch();

        /** Returns whether the calling thread is being called by a completion that it takes. */
        boolean isTaking();
    }

    /** Where the chains are. */
    interface Ring {
        /** Returns how many chains are under way; more than there are while that changes. */
        long underWay();

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

    /** Returns whether the calling thread is called by a completion: it must not take, and who takes looks after what it posts. */
    boolean isTaking() {
        return source.isTaking();
    }

    /** Counts the calling thread in; {@link #leave} must follow. */
    void enter() {
        present.incrementAndGet();
    }

    /**
     * Takes once, as a device may have executed what was posted before posting returned; who waits for that chain goes on until it is
     * over, or the time is. One call for both, at one place: what a completion leads to is inlined at each.
     */
    void take(Ring ring, long sequence, boolean waitedFor) {
        if (pollNanos <= 0) {
            return;
        }
        boolean timed = false;
        long since = 0;
        while (true) {
            boolean found = source.take();
            if (!waitedFor || ring.isOver(sequence)) {
                return;
            }
            long now = System.nanoTime();
            if (!timed) {
                timed = true;
                since = now;
            } else if (!found && now - since >= pollNanos) {
                return;
            }
            Thread.onSpinWait();
        }
    }

    /** Counts the calling thread out. Who comes later sees what it left, or is seen by it. */
    void leave(Ring ring) {
        int others = present.decrementAndGet();
        if (ring.underWay() > others) {
            source.watch();
        }
    }

    /** Returns how many there are: they look after as many chains. */
    int count() {
        return present.get();
    }
}
