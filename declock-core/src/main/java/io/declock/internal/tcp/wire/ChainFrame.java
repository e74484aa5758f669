// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.Verb;
import io.declock.spi.ExtendedAtomics;
import io.declock.spi.VerbChain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * CHAIN: the verbs of one chain. A flyweight for the side that reads them: valid until the frame's handler returns, and filled anew by each
 * frame. Not thread-safe.
 */
public final class ChainFrame {
    private final Verb[] verbs = new Verb[VerbChain.MAX_VERBS];
    private final long[] addresses = new long[VerbChain.MAX_VERBS];
    private final long[] operands = new long[VerbChain.MAX_VERBS];
    private final long[] desired = new long[VerbChain.MAX_VERBS];
    private final int[] words = new int[VerbChain.MAX_VERBS];
    /** Where the words of a WRITE, or the operands of an extended atomic, begin in the buffer. */
    private final int[] payloads = new int[VerbChain.MAX_VERBS];

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int sequence;
    private int oldest;
    private int size;

    /** Makes an empty one. */
    public ChainFrame() {}

    /**
     * Writes CHAIN.
     *
     * @param sequence number of the chain, one more than that of the chain before it
     * @param oldest number of the oldest chain whose answer has not arrived
     */
    public static void writeChain(ByteBuf out, int sequence, int oldest, VerbChain chain) {
        int start = FrameWriter.begin(out, FrameType.CHAIN, sequence);
        out.writeIntLE(oldest);
        out.writeByte(chain.size());
        for (int i = 0; i < chain.size(); i++) {
            writeVerb(out, chain, i);
        }
        FrameWriter.end(out, start);
    }

    /** Reads CHAIN. */
    public void readChain(FrameBody body) throws BadFrameException {
        sequence = body.i32();
        oldest = body.i32();
        size = body.u8();
        if (size < 1 || size > VerbChain.MAX_VERBS) {
            throw new BadFrameException("a chain of " + size + " verbs");
        }
        for (int i = 0; i < size; i++) {
            readVerb(body, i);
        }
        body.end();
        buffer = body.buffer();
    }

    private static void writeVerb(ByteBuf out, VerbChain chain, int i) {
        long address = chain.address(i);
        switch (chain.verb(i)) {
            case FETCH_AND_ADD ->
                out.writeByte(Wire.OP_FETCH_AND_ADD).writeLongLE(address).writeLongLE(chain.operand(i));
            case COMPARE_AND_SWAP ->
                out.writeByte(Wire.OP_COMPARE_AND_SWAP)
                        .writeLongLE(address)
                        .writeLongLE(chain.operand(i))
                        .writeLongLE(chain.desired(i));
            case READ -> out.writeByte(Wire.OP_READ).writeLongLE(address).writeShortLE(chain.words(i));
            case WRITE -> {
                out.writeByte(Wire.OP_WRITE).writeLongLE(address).writeShortLE(chain.words(i));
                for (int w = 0; w < chain.words(i); w++) {
                    out.writeLongLE(chain.writeWord(i, w));
                }
            }
            case MASKED_COMPARE_AND_SWAP -> writeExtended(out, Wire.OP_MASKED_COMPARE_AND_SWAP, chain, i);
            case MASKED_FETCH_AND_ADD -> writeExtended(out, Wire.OP_MASKED_FETCH_AND_ADD, chain, i);
        }
    }

    private static void writeExtended(ByteBuf out, int code, VerbChain chain, int i) {
        out.writeByte(code).writeLongLE(chain.address(i));
        for (int w = 0; w < ExtendedAtomics.operands(chain.verb(i)); w++) {
            out.writeLongLE(chain.writeWord(i, w));
        }
    }

    private void readVerb(FrameBody body, int i) throws BadFrameException {
        int code = body.u8();
        addresses[i] = body.i64();
        words[i] = 1;
        switch (code) {
            case Wire.OP_FETCH_AND_ADD -> {
                verbs[i] = Verb.FETCH_AND_ADD;
                operands[i] = body.i64();
            }
            case Wire.OP_COMPARE_AND_SWAP -> {
                verbs[i] = Verb.COMPARE_AND_SWAP;
                operands[i] = body.i64();
                desired[i] = body.i64();
            }
            case Wire.OP_READ -> {
                verbs[i] = Verb.READ;
                words[i] = readWords(body);
            }
            case Wire.OP_WRITE -> {
                verbs[i] = Verb.WRITE;
                words[i] = readWords(body);
                payloads[i] = body.position();
                body.skip(words[i] * Long.BYTES);
            }
            case Wire.OP_MASKED_COMPARE_AND_SWAP -> readExtended(body, i, Verb.MASKED_COMPARE_AND_SWAP);
            case Wire.OP_MASKED_FETCH_AND_ADD -> readExtended(body, i, Verb.MASKED_FETCH_AND_ADD);
            default -> throw new BadFrameException("unknown verb " + code);
        }
    }

    private void readExtended(FrameBody body, int i, Verb verb) throws BadFrameException {
        verbs[i] = verb;
        words[i] = ExtendedAtomics.WORDS;
        payloads[i] = body.position();
        body.skip(ExtendedAtomics.operands(verb) * Long.BYTES);
    }

    private static int readWords(FrameBody body) throws BadFrameException {
        int words = body.u16();
        if (words < 1 || words > Wire.MAX_WORDS) {
            throw new BadFrameException("a verb on " + words + " words, allowed are 1 to " + Wire.MAX_WORDS);
        }
        return words;
    }

    /** Returns the number that the answer has to repeat. */
    public int sequence() {
        return sequence;
    }

    /** Returns the number of the oldest chain whose answer had not arrived when this one was sent. */
    public int oldest() {
        return oldest;
    }

    /** Returns the number of verbs. */
    public int size() {
        return size;
    }

    /** Returns a verb. */
    public Verb verb(int i) {
        return verbs[i];
    }

    /** Returns the address of a verb. */
    public long address(int i) {
        return addresses[i];
    }

    /** Returns on how many words a verb works. */
    public int words(int i) {
        return words[i];
    }

    /** Returns the addend of an FAA, the expected value of a CAS, word {@code w} of a WRITE, or operand {@code w} of an extended atomic. */
    public long operand(int i, int w) {
        return verbs[i] == Verb.WRITE || verbs[i].isExtended()
                ? buffer.getLongLE(payloads[i] + w * Long.BYTES)
                : operands[i];
    }

    /** Returns the desired value of a CAS. */
    public long desired(int i) {
        return desired[i];
    }

    /**
     * Appends the verbs to a chain that outlives the frame.
     *
     * @throws BadFrameException if more than one verb has several words of content, which a {@link VerbChain} cannot carry
     */
    public void copyTo(VerbChain chain) throws BadFrameException {
        int contents = 0;
        for (int i = 0; i < size; i++) {
            switch (verbs[i]) {
                case FETCH_AND_ADD -> chain.fetchAndAdd(addresses[i], operands[i]);
                case COMPARE_AND_SWAP -> chain.compareAndSwap(addresses[i], operands[i], desired[i]);
                case READ -> chain.read(addresses[i], words[i]);
                case WRITE -> {
                    if (words[i] == 1) {
                        chain.write(addresses[i], operand(i, 0));
                    } else {
                        checkIsOnly(++contents);
                        chain.write(addresses[i], content(i, words[i]));
                    }
                }
                case MASKED_COMPARE_AND_SWAP -> {
                    checkIsOnly(++contents);
                    chain.maskedCompareAndSwap(addresses[i], content(i, ExtendedAtomics.operands(verbs[i])));
                }
                case MASKED_FETCH_AND_ADD -> {
                    checkIsOnly(++contents);
                    chain.maskedFetchAndAdd(addresses[i], content(i, ExtendedAtomics.operands(verbs[i])));
                }
            }
        }
    }

    private static void checkIsOnly(int contents) throws BadFrameException {
        if (contents > 1) {
            throw new BadFrameException("a chain with two WRITEs of several words to an adapter");
        }
    }

    private long[] content(int i, int count) {
        long[] payload = new long[count];
        for (int w = 0; w < payload.length; w++) {
            payload[w] = operand(i, w);
        }
        return payload;
    }
}
