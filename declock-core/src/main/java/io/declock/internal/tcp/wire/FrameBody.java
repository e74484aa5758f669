// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.spi.NodeSet;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads one frame's body, never past its end. All numbers are little-endian. A flyweight: valid until the frame's handler returns.
 * Only this package reads fields; others pass the body to the class that {@link FrameType} names. Not thread-safe.
 */
public final class FrameBody {
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int position;
    private int end;

    /** Makes an empty body. */
    public FrameBody() {}

    /** Sets the body to {@code length} bytes from {@code start} on, which the buffer must contain. */
    public FrameBody wrap(ByteBuf buffer, int start, int length) {
        this.buffer = buffer;
        this.position = start;
        this.end = start + length;
        return this;
    }

    private int advance(int bytes) throws BadFrameException {
        if (bytes < 0 || end - position < bytes) {
            throw new BadFrameException("a frame ends " + (bytes - (end - position)) + " bytes too early");
        }
        int at = position;
        position += bytes;
        return at;
    }

    /** Reads an unsigned byte. */
    int u8() throws BadFrameException {
        return buffer.getUnsignedByte(advance(1));
    }

    /** Reads an unsigned 16-bit number. */
    int u16() throws BadFrameException {
        return buffer.getUnsignedShortLE(advance(2));
    }

    /** Reads a 32-bit number. */
    int i32() throws BadFrameException {
        return buffer.getIntLE(advance(4));
    }

    /** Reads a 64-bit number. */
    long i64() throws BadFrameException {
        return buffer.getLongLE(advance(8));
    }

    /** Reads bytes. */
    byte[] bytes(int count) throws BadFrameException {
        int at = advance(count);
        byte[] bytes = new byte[count];
        buffer.getBytes(at, bytes);
        return bytes;
    }

    /** Reads bytes that follow their 16-bit count. */
    byte[] countedBytes(int most) throws BadFrameException {
        int count = u16();
        if (count > most) {
            throw new BadFrameException("a text of " + count + " bytes where at most " + most + " are allowed");
        }
        return bytes(count);
    }

    /**
     * Reads a text in UTF-8 that follows its 16-bit length, at most {@link Wire#MAX_TEXT}. Texts are names, addresses and messages for people and end up in logs, so a
     * control character, such as one that would begin another line of a log, is read as a question mark.
     */
    String text() throws BadFrameException {
        byte[] bytes = countedBytes(Wire.MAX_TEXT);
        try {
            return printable(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)));
        } catch (CharacterCodingException e) {
            throw new BadFrameException("a text is not UTF-8");
        }
    }

    private static String printable(CharBuffer text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.get(i))) {
                text.put(i, '?');
            }
        }
        return text.toString();
    }

    /** Reads 64-bit numbers that follow their 16-bit count. */
    long[] longs(int most) throws BadFrameException {
        int count = u16();
        if (count > most) {
            throw new BadFrameException(count + " numbers where at most " + most + " are allowed");
        }
        if (end - position < count * Long.BYTES) {
            throw new BadFrameException("a frame announces " + count + " numbers but does not have them");
        }
        long[] longs = new long[count];
        for (int i = 0; i < count; i++) {
            longs[i] = i64();
        }
        return longs;
    }

    NodeSet nodeSet() throws BadFrameException {
        return NodeSet.ofHashes(longs(NodeSet.MAX_SIZE));
    }

    /** Returns the buffer, for results that are read in place. */
    ByteBuf buffer() {
        return buffer;
    }

    /** Returns the position of the next byte in the buffer. */
    int position() {
        return position;
    }

    /** Skips bytes. */
    void skip(int bytes) throws BadFrameException {
        advance(bytes);
    }

    /** Reads the number of a request, which must be all that remains. */
    int number() throws BadFrameException {
        int number = i32();
        end();
        return number;
    }

    /** Checks that no bytes remain, and returns what was read. */
    <T> T end(T value) throws BadFrameException {
        end();
        return value;
    }

    /** Checks that no bytes remain. */
    void end() throws BadFrameException {
        if (position != end) {
            throw new BadFrameException("a frame has " + (end - position) + " bytes too many");
        }
    }
}
