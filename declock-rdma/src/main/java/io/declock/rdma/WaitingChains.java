// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A session's chains that wait to be posted, in order; they outlast its queue pairs. Thread-safe. */
final class WaitingChains {
    private final Consumer<VerbQueue> whenLeft;
    private final Queue<VerbChain> chains = new ConcurrentLinkedQueue<>();
    // The number of waiting chains. It is incremented before a chain is added and decremented after it is taken out, so
    // a thread that reads zero need not check the queue.
    private final AtomicInteger announced = new AtomicInteger();

    /**
     * Makes an empty one.
     *
     * @param whenLeft called when a chain waits that a queue pair cannot post any more, because it was interrupted
     */
    WaitingChains(Consumer<VerbQueue> whenLeft) {
        this.whenLeft = whenLeft;
    }

    void add(VerbChain chain) {
        announced.incrementAndGet();
        chains.add(chain);
    }

    /** Returns the first chain, and takes it out; null if there is none. */
    @Nullable
    VerbChain poll() {
        VerbChain chain = chains.poll();
        if (chain != null) {
            announced.decrementAndGet();
        }
        return chain;
    }

    /** Returns true only if no chain waits. It may return false for a moment although none does. */
    boolean noneWaits() {
        return announced.get() == 0;
    }

    /** Returns whether no chain can be taken out now. */
    boolean isEmpty() {
        return chains.isEmpty();
    }

    /** A chain may wait that a queue pair cannot post any more. */
    void left(VerbQueue from) {
        whenLeft.accept(from);
    }

    /** Fails every waiting chain. */
    void failAll(FabricException cause) {
        for (VerbChain chain = poll(); chain != null; chain = poll()) {
            VerbQueue.fail(chain, cause);
        }
    }
}
