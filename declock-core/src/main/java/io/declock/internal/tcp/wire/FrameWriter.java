// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Writes the parts of frames. All numbers are little-endian. */
final class FrameWriter {
    private FrameWriter() {}

    /** Begins a frame; the result goes to {@link #end}. */
    static int begin(ByteBuf out, FrameType type) {
        int start = out.writerIndex();
        out.writeIntLE(0);
        out.writeByte(type.number());
        return start;
    }

    /** Ends a frame and writes its length. */
    static void end(ByteBuf out, int start) {
        out.setIntLE(start, out.writerIndex() - start - Integer.BYTES);
    }

    /** Writes a frame whose body is the number of a request. */
    static void number(ByteBuf out, FrameType type, int request) {
        end(out, begin(out, type, request));
    }

    /** Begins a frame whose body begins with the number of a request; the result goes to {@link #end}. */
    static int begin(ByteBuf out, FrameType type, int request) {
        int start = begin(out, type);
        out.writeIntLE(request);
        return start;
    }

    /** Writes a text in UTF-8 after its 16-bit length; a text longer than {@link Wire#MAX_TEXT} bytes is cut. */
    static void text(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = bytes.length;
        if (length > Wire.MAX_TEXT) {
            length = Wire.MAX_TEXT;
            // Cut before a character, not inside it.
            while ((bytes[length] & 0xC0) == 0x80) {
                length--;
            }
        }
        out.writeShortLE(length);
        out.writeBytes(bytes, 0, length);
    }

    /** Writes bytes after their 16-bit count. */
    static void countedBytes(ByteBuf out, byte[] bytes) {
        out.writeShortLE(bytes.length);
        out.writeBytes(bytes);
    }

    /** Writes 64-bit numbers after their 16-bit count. */
    static void longs(ByteBuf out, long[] longs) {
        out.writeShortLE(longs.length);
        for (long value : longs) {
            out.writeLongLE(value);
        }
    }
}
