// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ChainDoneFrame;
import io.declock.internal.tcp.wire.ChainFrame;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.netty.buffer.ByteBuf;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chains of one session: a queue of those that wait to be written, and a ring of those in flight, by sequence number. A chain stays in
 * the ring until its answer arrives, so that it can be written again on another connection (rule G2). Any thread may call {@link #add} and
 * {@link #failWaiting}; the rest belongs to the event loop.
 */
final class ChainWindow {
    private static final Logger LOG = LoggerFactory.getLogger(ChainWindow.class);

    private final Queue<VerbChain> waiting = new ConcurrentLinkedQueue<>();
    private final @Nullable VerbChain[] inFlight;
    private final int mask;
    /** Number of the next chain that leaves the queue. */
    private int next;
    /** Number of the first chain of the ring that is to be written on the present connection. */
    private int unwritten;

    private int oldest;
    private long lastProgress;
    private final ChainDoneFrame results = new ChainDoneFrame();

    ChainWindow(int size) {
        this.inFlight = new @Nullable VerbChain[size];
        this.mask = size - 1;
    }

    void add(VerbChain chain) {
        waiting.add(chain);
    }

    /** Writes as many waiting chains as the window has room for. */
    void write(ByteBuf out, long now) {
        while (unwritten != next) {
            VerbChain chain = inFlight[unwritten & mask];
            if (chain == null) {
                throw new IllegalStateException("chain " + unwritten + " was answered before it was written");
            }
            ChainFrame.writeChain(out, unwritten++, oldest, chain);
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
            ChainFrame.writeChain(out, next++, oldest, chain);
            unwritten = next;
        }
    }

    /** Returns the number of the oldest chain whose answer has not arrived. */
    int oldest() {
        return oldest;
    }

    /**
     * Goes on with another connection: the memory node has executed all chains before {@code executed}, whose answers follow, and the
     * others are written again.
     */
    void resume(int executed, long now) throws BadFrameException {
        if (executed - oldest < 0 || next - executed < 0) {
            throw new BadFrameException("a resumption at chain " + executed + ", where chains " + oldest + " to " + next
                    + " are in flight");
        }
        unwritten = executed;
        lastProgress = now;
    }

    /** Completes the chain that a frame answers. */
    void answered(FrameBody body, long now) throws BadFrameException {
        int sequence = ChainDoneFrame.readSequence(body);
        int distance = sequence - oldest;
        VerbChain chain = distance < 0 || distance >= unwritten - oldest ? null : inFlight[sequence & mask];
        if (chain == null) {
            throw new BadFrameException("an answer to chain " + sequence + ", which is not in flight");
        }
        results.readChainDone(body, chain);
        inFlight[sequence & mask] = null;
        while (oldest != next && inFlight[oldest & mask] == null) {
            oldest++;
        }
        lastProgress = now;
        try {
            chain.completed(results);
        } catch (RuntimeException e) {
            LOG.error("The completion of {} threw", chain, e);
        }
    }

    /** Returns whether chains are in flight and none was answered for so long. */
    boolean isStuck(long now, long timeoutNanos) {
        return next != oldest && now - lastProgress > timeoutNanos;
    }

    /** Fails every chain in flight and every waiting one. */
    void failAll(FabricException cause) {
        for (int i = oldest; i != next; i++) {
            VerbChain chain = inFlight[i & mask];
            inFlight[i & mask] = null;
            if (chain != null) {
                fail(chain, cause);
            }
        }
        oldest = next;
        unwritten = next;
        failWaiting(cause);
    }

    /** Fails every waiting chain. */
    void failWaiting(FabricException cause) {
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
