// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.Verb;
import io.declock.spi.VerbChain;
import io.declock.spi.VerbResults;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * CHAIN_DONE: the results of one chain's verbs. A flyweight for the side that reads them: valid until the frame's handler returns, and
 * filled anew by each frame. Not thread-safe.
 */
public final class ChainDoneFrame implements VerbResults {
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    /** Positions in the buffer: the start of each verb's words, and the end of the last one's. */
    private final int[] starts = new int[VerbChain.MAX_VERBS + 1];

    /** Makes an empty one. */
    public ChainDoneFrame() {}

    /** The words that a chain's verbs found. */
    @FunctionalInterface
    public interface Words {
        /** Appends them, little-endian, in the order of the verbs. */
        void write(ByteBuf out);
    }

    /** Writes CHAIN_DONE. */
    public static void writeChainDone(ByteBuf out, int sequence, Words words) {
        int start = FrameWriter.begin(out, FrameType.CHAIN_DONE, sequence);
        words.write(out);
        FrameWriter.end(out, start);
    }

    /** Reads the sequence number of CHAIN_DONE, which says what chain it answers; {@link #readChainDone} reads the rest. */
    public static int readSequence(FrameBody body) throws BadFrameException {
        return body.i32();
    }

    /** Reads the rest of CHAIN_DONE, whose length follows from the chain. */
    public void readChainDone(FrameBody body, VerbChain chain) throws BadFrameException {
        for (int i = 0; i < chain.size(); i++) {
            starts[i] = body.position();
            body.skip(chain.verb(i) == Verb.WRITE ? 0 : chain.words(i) * Long.BYTES);
        }
        starts[chain.size()] = body.position();
        body.end();
        buffer = body.buffer();
    }

    @Override
    public long word(int verb, int word) {
        int at = starts[verb] + word * Long.BYTES;
        if (word < 0 || at >= starts[verb + 1]) {
            throw new IndexOutOfBoundsException("word " + word + " of verb " + verb);
        }
        return buffer.getLongLE(at);
    }
}
