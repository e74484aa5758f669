// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.Verb;
import io.declock.internal.memorynode.NodeCounts;
import io.declock.internal.memorynode.Region;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameWriter;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.VerbChain;
import io.netty.buffer.ByteBuf;

/**
 * Executes the chains that arrive in frames: checks each chain as a whole, executes its verbs in order, and answers in one frame. Belongs
 * to one connection's event loop.
 */
final class ChainFrame {
    private final Region region;
    private final NodeCounts counts;
    private final Verb[] verbs = new Verb[VerbChain.MAX_VERBS];
    private final long[] addresses = new long[VerbChain.MAX_VERBS];
    private final long[] firsts = new long[VerbChain.MAX_VERBS];
    private final long[] seconds = new long[VerbChain.MAX_VERBS];
    private final int[] words = new int[VerbChain.MAX_VERBS];
    private final int[] payloads = new int[VerbChain.MAX_VERBS];
    private int size;

    ChainFrame(Region region, NodeCounts counts) {
        this.region = region;
        this.counts = counts;
    }

    /** Executes the chain of a frame and appends the answer. */
    void execute(FrameBody body, ByteBuf out) throws BadFrameException {
        int sequence = body.i32();
        read(body);
        int start = FrameWriter.begin(out, Wire.CHAIN_DONE);
        out.writeIntLE(sequence);
        for (int i = 0; i < size; i++) {
            execute(i, body.buffer(), out);
        }
        FrameWriter.end(out, start);
    }

    /** Reads and checks a chain whose sequence number was read already. */
    void read(FrameBody body) throws BadFrameException {
        size = body.u8();
        if (size < 1 || size > VerbChain.MAX_VERBS) {
            throw new BadFrameException("a chain of " + size + " verbs");
        }
        for (int i = 0; i < size; i++) {
            read(i, body);
        }
        body.end();
    }

    /** Appends the verbs of the chain that was read last to another, and counts them. */
    void copyTo(VerbChain chain, ByteBuf in) {
        for (int i = 0; i < size; i++) {
            switch (verbs[i]) {
                case FETCH_AND_ADD -> chain.fetchAndAdd(addresses[i], firsts[i]);
                case COMPARE_AND_SWAP -> chain.compareAndSwap(addresses[i], firsts[i], seconds[i]);
                case READ -> chain.read(addresses[i], words[i]);
                case WRITE -> chain.write(addresses[i], payload(i, in));
            }
            counts.count(verbs[i]);
        }
    }

    private long[] payload(int i, ByteBuf in) {
        long[] payload = new long[words[i]];
        for (int w = 0; w < payload.length; w++) {
            payload[w] = in.getLongLE(payloads[i] + w * Long.BYTES);
        }
        return payload;
    }

    private void read(int i, FrameBody body) throws BadFrameException {
        verbs[i] = verbOf(body.u8());
        addresses[i] = body.i64();
        words[i] = 1;
        switch (verbs[i]) {
            case FETCH_AND_ADD -> firsts[i] = body.i64();
            case COMPARE_AND_SWAP -> {
                firsts[i] = body.i64();
                seconds[i] = body.i64();
            }
            case READ -> words[i] = body.u16();
            case WRITE -> {
                words[i] = body.u16();
                payloads[i] = body.position();
                body.skip(words[i] * Long.BYTES);
            }
        }
        if (words[i] > Wire.MAX_WORDS || !region.covers(addresses[i], words[i])) {
            throw new BadFrameException(
                    "a verb on " + words[i] + " words at " + addresses[i] + ", which is not memory of this region");
        }
    }

    private static Verb verbOf(int operation) throws BadFrameException {
        return switch (operation) {
            case Wire.OP_FETCH_AND_ADD -> Verb.FETCH_AND_ADD;
            case Wire.OP_COMPARE_AND_SWAP -> Verb.COMPARE_AND_SWAP;
            case Wire.OP_READ -> Verb.READ;
            case Wire.OP_WRITE -> Verb.WRITE;
            default -> throw new BadFrameException("unknown verb " + operation);
        };
    }

    private void execute(int i, ByteBuf in, ByteBuf out) {
        Verb verb = verbs[i];
        for (int w = 0; w < words[i]; w++) {
            long operand = verb == Verb.WRITE ? in.getLongLE(payloads[i] + w * Long.BYTES) : firsts[i];
            long found = region.execute(verb, addresses[i] + (long) w * Long.BYTES, operand, seconds[i]);
            if (verb != Verb.WRITE) {
                out.writeLongLE(found);
            }
        }
        counts.count(verb);
    }
}
