// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.Verb;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameWriter;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chains of one session: a queue of those that wait to be written, and a ring of those in flight, by sequence number. Any thread may
 * call {@link #add} and {@link #failWaiting}; the rest belongs to the event loop.
 */
final class ChainWindow implements VerbResults {
    private static final Logger LOG = LoggerFactory.getLogger(ChainWindow.class);

    private final Queue<VerbChain> waiting = new ConcurrentLinkedQueue<>();
    private final @Nullable VerbChain[] inFlight;
    private final int mask;
    private int next;
    private int oldest;
    private long lastProgress;
    // Positions in the current results: the start of each verb's words, and the end of the last one's.
    private final int[] starts = new int[VerbChain.MAX_VERBS + 1];
    private ByteBuf results = Unpooled.EMPTY_BUFFER;

    ChainWindow(int size) {
        this.inFlight = new @Nullable VerbChain[size];
        this.mask = size - 1;
    }

    void add(VerbChain chain) {
        waiting.add(chain);
    }

    /** Writes as many waiting chains as the window has room for. */
    void write(ByteBuf out, long now) {
        while (next - oldest <= mask) {
            VerbChain chain = waiting.poll();
            if (chain == null) {
                return;
            }
            if (next == oldest) {
                lastProgress = now;
            }
            inFlight[next & mask] = chain;
            writeChain(out, next++, chain);
        }
    }

    private static void writeChain(ByteBuf out, int sequence, VerbChain chain) {
        int start = FrameWriter.begin(out, Wire.CHAIN);
        out.writeIntLE(sequence);
        out.writeByte(chain.size());
        for (int i = 0; i < chain.size(); i++) {
            writeVerb(out, chain, i);
        }
        FrameWriter.end(out, start);
    }

    private static void writeVerb(ByteBuf out, VerbChain chain, int i) {
        switch (chain.verb(i)) {
            case FETCH_AND_ADD -> {
                out.writeByte(Wire.OP_FETCH_AND_ADD)
                        .writeLongLE(chain.address(i))
                        .writeLongLE(chain.operand(i));
            }
            case COMPARE_AND_SWAP -> {
                out.writeByte(Wire.OP_COMPARE_AND_SWAP)
                        .writeLongLE(chain.address(i))
                        .writeLongLE(chain.operand(i))
                        .writeLongLE(chain.desired(i));
            }
            case READ ->
                out.writeByte(Wire.OP_READ).writeLongLE(chain.address(i)).writeShortLE(chain.words(i));
            case WRITE -> {
                out.writeByte(Wire.OP_WRITE).writeLongLE(chain.address(i)).writeShortLE(chain.words(i));
                for (int w = 0; w < chain.words(i); w++) {
                    out.writeLongLE(chain.writeWord(i, w));
                }
            }
        }
    }

    /** Completes the chain that a frame answers. */
    void answered(FrameBody body, long now) throws BadFrameException {
        int sequence = body.i32();
        int distance = sequence - oldest;
        VerbChain chain = distance < 0 || distance >= next - oldest ? null : inFlight[sequence & mask];
        if (chain == null) {
            throw new BadFrameException("an answer to chain " + sequence + ", which is not in flight");
        }
        results = body.buffer();
        int at = body.position();
        for (int i = 0; i < chain.size(); i++) {
            starts[i] = at;
            at += chain.verb(i) == Verb.WRITE ? 0 : chain.words(i) * Long.BYTES;
        }
        starts[chain.size()] = at;
        body.skip(at - body.position());
        body.end();
        inFlight[sequence & mask] = null;
        while (oldest != next && inFlight[oldest & mask] == null) {
            oldest++;
        }
        lastProgress = now;
        try {
            chain.completed(this);
        } catch (RuntimeException e) {
            LOG.error("The completion of {} threw", chain, e);
        }
    }

    @Override
    public long word(int verb, int word) {
        int at = starts[verb] + word * Long.BYTES;
        if (word < 0 || at >= starts[verb + 1]) {
            throw new IndexOutOfBoundsException("word " + word + " of verb " + verb);
        }
        return results.getLongLE(at);
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
