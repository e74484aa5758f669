// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that wait for chains of their own on one queue pair. For a moment they take completions themselves, because they would
 * otherwise sleep until the completion thread has taken theirs and woken them, which costs many times the round trip. A thread that
 * leaves while more chains are in flight than other takers remain makes the completion thread watch the queue. Thread-safe.
 */
final class Takers {
    private final Source source;
    private final long pollNanos;
    private final AtomicInteger present = new AtomicInteger();

    /** The completion queue, as a thread uses it that waits for its own chain. */
    interface Source {
        /** Takes completions, unless another thread does already; returns whether there were any. */
        boolean take();

        /** Makes the completion thread take the completions from now on. */
        void watch();

        /** Returns whether the calling thread runs inside the handler of a completion that it takes. */
        boolean isTaking();
    }

    /** The ring of chains. */
    interface Ring {
        /** Returns the number of chains in flight; while it changes, the result may be too high. */
        long underWay();

        /** Returns whether a chain has completed, or never will. */
        boolean isOver(long sequence);
    }

    /**
     * Makes an object that counts no thread yet.
     *
     * @param pollNanos how long a thread takes completions; with 0 it takes none
     */
    Takers(Source source, long pollNanos) {
        this.source = source;
        this.pollNanos = pollNanos;
    }

    /**
     * Returns whether the calling thread runs inside a completion's handler: then it must not take completions, and the taking thread
     * also takes the completions of the chains that it posts.
     */
    boolean isTaking() {
        return source.isTaking();
    }

    /** Counts the calling thread in; {@link #leave} must follow. */
    void enter() {
        present.incrementAndGet();
    }

    /**
     * Takes completions once, because a device may have executed the chain before posting returned. A thread that waits for that chain
     * continues until the chain is over or {@code pollNanos} have passed. There is a single call for both cases, because the JIT inlines
     * the completion's code at each call.
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

    /**
     * Counts the calling thread out. If another thread enters meanwhile, it sees the chains that this one leaves, or this one counts it.
     */
    void leave(Ring ring) {
        int others = present.decrementAndGet();
        if (ring.underWay() > others) {
            source.watch();
        }
    }

    /** Returns the number of these threads. Each of them takes the completion of one chain, its own. */
    int count() {
        return present.get();
    }
}
