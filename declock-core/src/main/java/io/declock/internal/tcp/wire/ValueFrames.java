// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.spi.StoredValue;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/** The frames of guarded values; since version {@value Wire#VALUES_VERSION}. */
public final class ValueFrames {
    private static final int ABSENT = 0;
    private static final int PRESENT = 1;

    private ValueFrames() {}

    /** Writes READ_VALUE. */
    public static void writeReadValue(ByteBuf out, int request, long record) {
        int start = FrameWriter.begin(out, FrameType.READ_VALUE, request);
        out.writeLongLE(record);
        FrameWriter.end(out, start);
    }

    /** Reads READ_VALUE: the address of the record. */
    public static Numbered<Long> readReadValue(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), body.i64()));
    }

    /** Writes VALUE. */
    public static void writeValue(ByteBuf out, int request, ValueReading reading) {
        int start = FrameWriter.begin(out, FrameType.VALUE, request);
        out.writeLongLE(reading.header());
        out.writeLongLE(reading.epoch());
        writeStored(out, reading.value());
        FrameWriter.end(out, start);
    }

    /** Writes a value, or that there is none. */
    static void writeStored(ByteBuf out, @Nullable StoredValue value) {
        out.writeByte(value == null ? ABSENT : PRESENT);
        if (value != null) {
            out.writeLongLE(value.token());
            FrameWriter.text(out, value.writer());
            FrameWriter.countedBytes(out, value.bytes());
        }
    }

    /** Returns the number of bytes that {@link #writeStored} writes. */
    static int storedBytes(@Nullable StoredValue value) {
        return value == null
                ? 1
                : 1
                        + Long.BYTES
                        + Short.BYTES
                        + ByteBufUtil.utf8Bytes(value.writer())
                        + Short.BYTES
                        + value.bytes().length;
    }

    /** Reads VALUE. */
    public static Numbered<ValueReading> readValue(FrameBody body) throws BadFrameException {
        int request = body.i32();
        long header = body.i64();
        long epoch = body.i64();
        StoredValue value = readStored(body);
        return body.end(new Numbered<>(request, new ValueReading(header, epoch, value)));
    }

    /** Reads a value; returns null if there is none. */
    static @Nullable StoredValue readStored(FrameBody body) throws BadFrameException {
        return isPresent(body)
                ? new StoredValue(body.i64(), body.text(), body.countedBytes(StoredValue.MAX_BYTES))
                : null;
    }

    /** Writes WRITE_VALUE. */
    public static void writeWriteValue(ByteBuf out, int request, ValueWriting writing) {
        int start = FrameWriter.begin(out, FrameType.WRITE_VALUE, request);
        out.writeLongLE(writing.record());
        out.writeLongLE(writing.epoch());
        out.writeIntLE(writing.index());
        out.writeLongLE(writing.token());
        byte @Nullable [] bytes = writing.bytes();
        out.writeByte(bytes == null ? ABSENT : PRESENT);
        if (bytes != null) {
            FrameWriter.countedBytes(out, bytes);
        }
        FrameWriter.end(out, start);
    }

    /** Reads WRITE_VALUE. */
    public static Numbered<ValueWriting> readWriteValue(FrameBody body) throws BadFrameException {
        int request = body.i32();
        long record = body.i64();
        long epoch = body.i64();
        int index = body.i32();
        long token = body.i64();
        byte[] bytes = isPresent(body) ? body.countedBytes(StoredValue.MAX_BYTES) : null;
        return body.end(new Numbered<>(request, new ValueWriting(record, epoch, index, token, bytes)));
    }

    private static boolean isPresent(FrameBody body) throws BadFrameException {
        int mark = body.u8();
        if (mark > PRESENT) {
            throw new BadFrameException("a value is there or not, which " + mark + " does not say");
        }
        return mark == PRESENT;
    }
}
