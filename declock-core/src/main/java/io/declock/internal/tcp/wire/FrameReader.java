// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** Cuts one connection's stream into the preamble and frames. Belongs to the connection's event loop. */
final class FrameReader {
    private static final int FIRST_BYTES = 1024;
    private static final int GUESSED_BYTES = 16;

    private final FrameBody body = new FrameBody();
    /** Received bytes that were not passed on yet. */
    private @Nullable ByteBuf rest;

    private boolean preambleRead;
    private Phase phase = Phase.PREAMBLE;

    FrameReader() {}

    void enter(Phase next) {
        if (!phase.leadsTo(next)) {
            throw new IllegalStateException("a connection does not go from " + phase + " to " + next);
        }
        phase = next;
    }

    boolean prove(byte[] expected, byte[] proof) {
        Phase next = phase.proved();
        if (next == phase) {
            throw new IllegalStateException("no proof is waited for in " + phase);
        }
        if (!Proofs.same(expected, proof)) {
            return false;
        }
        phase = next;
        return true;
    }

    /** Handles received bytes; does not keep the buffer. */
    void accept(FrameConnection connection, ByteBuf in, ByteBufAllocator allocator) {
        ByteBuf kept = rest;
        if (kept != null) {
            kept.writeBytes(in);
            resume(connection);
            return;
        }
        cut(connection, in);
        if (in.isReadable() && connection.isOpen()) {
            rest = allocator.buffer(Math.max(in.readableBytes(), FIRST_BYTES)).writeBytes(in);
        }
    }

    boolean hasRest() {
        return rest != null;
    }

    /** Goes on with the remaining bytes. */
    void resume(FrameConnection connection) {
        ByteBuf kept = rest;
        if (kept == null) {
            return;
        }
        cut(connection, kept);
        // If they differ, the end of the connection has released the buffer already.
        if (rest == kept) {
            if (kept.isReadable()) {
                kept.discardSomeReadBytes();
            } else {
                release();
            }
        }
    }

    void release() {
        ByteBuf kept = rest;
        rest = null;
        if (kept != null) {
            kept.release();
        }
    }

    private void cut(FrameConnection connection, ByteBuf in) {
        try {
            while (next(connection, in) && connection.takesNext()) {
                // The condition does all the work.
            }
        } catch (BadFrameException e) {
            connection.badFrame(e);
            connection.fail(e);
        }
    }

    private boolean next(FrameConnection connection, ByteBuf in) throws BadFrameException {
        int readable = in.readableBytes();
        int start = in.readerIndex();
        if (!preambleRead) {
            return nextPreamble(connection, in, readable, start);
        }
        if (readable < Integer.BYTES) {
            return false;
        }
        int length = in.getIntLE(start);
        if (length < 1 || length > phase.maxFrameBytes()) {
            throw new BadFrameException("a frame of " + Integer.toUnsignedString(length) + " bytes, allowed are 1 to "
                    + phase.maxFrameBytes());
        }
        if (readable < Integer.BYTES + length) {
            return false;
        }
        body.wrap(in, start + Integer.BYTES, length);
        in.readerIndex(start + Integer.BYTES + length);
        int number = body.u8();
        FrameType type = FrameType.of(number);
        if (type == null || !phase.allows(type)) {
            throw new BadFrameException("a frame of type " + (type == null ? "0x" + Integer.toHexString(number) : type)
                    + " is not allowed " + phase.when());
        }
        connection.frame(type, body);
        return true;
    }

    private boolean nextPreamble(FrameConnection connection, ByteBuf in, int readable, int start)
            throws BadFrameException {
        // The magic number is checked as soon as it has arrived: a foreign client may never send a whole preamble.
        if (readable >= Integer.BYTES && in.getIntLE(start) != Wire.MAGIC) {
            byte[] first = new byte[Math.min(readable, GUESSED_BYTES)];
            in.getBytes(start, first);
            String guess = Preamble.guess(first);
            connection.foreign(guess);
            connection.fail(new BadFrameException("the other side does not speak the DecLock protocol but " + guess));
            return false;
        }
        if (readable < Wire.PREAMBLE_BYTES) {
            return false;
        }
        preambleRead = true;
        in.readerIndex(start + Wire.PREAMBLE_BYTES);
        connection.preamble(Preamble.read(body.wrap(in, start, Wire.PREAMBLE_BYTES)));
        return true;
    }
}
