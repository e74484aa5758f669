// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.chains;

import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chains of one session at its compute node: a queue of those that wait to be sent, and a ring of those in flight, by sequence number.
 * A chain stays in the ring until its answer arrives, so that it can be sent again on another connection (rule G2). Any thread may call
 * {@link #add} and {@link #failWaiting}; the rest belongs to the session's event loop.
 */
public final class ChainWindow {
    private static final Logger LOG = LoggerFactory.getLogger(ChainWindow.class);

    private final Queue<VerbChain> waiting = new ConcurrentLinkedQueue<>();
    private final @Nullable VerbChain[] inFlight;
    private final int mask;
    /** Number of the next chain that leaves the queue. */
    private int next;
    /** Number of the first chain of the ring that is to be sent on the present connection. */
    private int unsent;

    private int oldest;
    private long lastProgress;

    /**
     * Makes an empty one.
     *
     * @param size most chains in flight, a power of two
     */
    public ChainWindow(int size) {
        this.inFlight = new @Nullable VerbChain[size];
        this.mask = size - 1;
    }

    /** Sends chains. */
    @FunctionalInterface
    public interface Sender {
        /**
         * Sends a chain.
         *
         * @param sequence its number, one more than that of the chain before it
         * @param oldest number of the oldest chain whose answer has not arrived
         */
        void send(int sequence, int oldest, VerbChain chain);
    }

    /** Adds a chain; {@link #send} must follow. */
    public void add(VerbChain chain) {
        waiting.add(chain);
    }

    /** Sends what is to be sent again, and as many waiting chains as the window has room for. */
    public void send(Sender sender, long now) {
        while (unsent != next) {
            VerbChain chain = inFlight[unsent & mask];
            if (chain == null) {
                throw new IllegalStateException("chain " + unsent + " was answered before it was sent");
            }
            sender.send(unsent++, oldest, chain);
        }
        while (next - oldest <= mask) {
            VerbChain chain = waiting.poll();
            if (chain == null) {
                return;
            }
            if (next == oldest) {
                lastProgress = now;
            }
            inFlight[next & mask] = chain;
            sender.send(next++, oldest, chain);
            unsent = next;
        }
    }

    /** Returns the number of the oldest chain whose answer has not arrived. */
    public int oldest() {
        return oldest;
    }

    /** Returns the chain in flight with that number, or null if there is none. */
    public @Nullable VerbChain inFlight(int sequence) {
        int distance = sequence - oldest;
        return distance < 0 || distance >= unsent - oldest ? null : inFlight[sequence & mask];
    }

    /** The answer to the chain in flight with that number has arrived. */
    public void answered(int sequence, long now) {
        inFlight[sequence & mask] = null;
        while (oldest != next && inFlight[oldest & mask] == null) {
            oldest++;
        }
        lastProgress = now;
    }

    /**
     * Goes on with another connection: the memory node has executed all chains before {@code executed}, whose answers follow, and the
     * others are sent again.
     *
     * @return false if that cannot be: then nothing is changed
     */
    public boolean resume(int executed, long now) {
        if (executed - oldest < 0 || next - executed < 0) {
            return false;
        }
        unsent = executed;
        lastProgress = now;
        return true;
    }

    /** Returns whether no chain is in flight or waiting. */
    public boolean isEmpty() {
        return next == oldest && waiting.isEmpty();
    }

    /** Returns whether chains are in flight and none was answered for so long. */
    public boolean isStuck(long now, long timeoutNanos) {
        return next != oldest && now - lastProgress > timeoutNanos;
    }

    /** Fails every chain in flight and every waiting one. */
    public void failAll(FabricException cause) {
        for (int i = oldest; i != next; i++) {
            VerbChain chain = inFlight[i & mask];
            inFlight[i & mask] = null;
            if (chain != null) {
                fail(chain, cause);
            }
        }
        oldest = next;
        unsent = next;
        failWaiting(cause);
    }

    /** Fails every waiting chain. */
    public void failWaiting(FabricException cause) {
        for (VerbChain chain = waiting.poll(); chain != null; chain = waiting.poll()) {
            fail(chain, cause);
        }
    }

    private static void fail(VerbChain chain, FabricException cause) {
        try {
            chain.failed(cause);
        } catch (RuntimeException e) {
            LOG.error("The failure of {} threw", chain, e);
        }
    }
}
