// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.LockMode;
import io.declock.LockView;
import io.declock.spi.LockAnswer;
import io.declock.spi.LockInquiry;
import io.declock.spi.LockUse;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The frames by which a memory node asks compute nodes who holds a lock; since version {@value Wire#INQUIRIES_VERSION}. */
public final class InquiryFrames {
    private static final LockInquiry.Kind[] KINDS = LockInquiry.Kind.values();
    private static final LockView.State[] STATES = LockView.State.values();
    private static final LockMode[] MODES = LockMode.values();

    private InquiryFrames() {}

    /** Writes LOCK_INQUIRY. */
    public static void writeLockInquiry(ByteBuf out, LockInquiry inquiry) {
        int start = FrameWriter.begin(out, FrameType.LOCK_INQUIRY);
        out.writeLongLE(inquiry.number());
        out.writeByte(inquiry.kind().ordinal());
        // Not a text: a control character separates the namespace.
        FrameWriter.countedBytes(out, inquiry.fullName().getBytes(StandardCharsets.UTF_8));
        out.writeLongLE(inquiry.upTo());
        FrameWriter.text(out, inquiry.why());
        FrameWriter.end(out, start);
    }

    /** Reads LOCK_INQUIRY. */
    public static LockInquiry readLockInquiry(FrameBody body) throws BadFrameException {
        long number = body.i64();
        LockInquiry.Kind kind = one(KINDS, body.u8(), "kind of inquiry");
        byte[] name = body.countedBytes(Wire.MAX_TEXT);
        return body.end(
                new LockInquiry(number, kind, new String(name, StandardCharsets.UTF_8), body.i64(), body.text()));
    }

    /** Writes LOCK_ANSWER. */
    public static void writeLockAnswer(ByteBuf out, LockAnswer answer) {
        int start = FrameWriter.begin(out, FrameType.LOCK_ANSWER);
        out.writeLongLE(answer.number());
        out.writeIntLE(answer.more());
        out.writeShortLE(answer.uses().size());
        for (LockUse use : answer.uses()) {
            out.writeByte(use.state().ordinal());
            out.writeByte(use.mode().ordinal());
            out.writeLongLE(use.token());
            out.writeLongLE(use.ageNanos());
            FrameWriter.text(out, use.owner());
        }
        FrameWriter.end(out, start);
    }

    /** Reads LOCK_ANSWER. */
    public static LockAnswer readLockAnswer(FrameBody body) throws BadFrameException {
        long number = body.i64();
        int more = body.i32();
        int count = body.u16();
        if (more < 0 || count > LockAnswer.MOST_USES) {
            throw new BadFrameException(count + " and " + more + " more uses of a lock");
        }
        List<LockUse> uses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            LockView.State state = one(STATES, body.u8(), "state of a lock");
            LockMode mode = one(MODES, body.u8(), "mode of a lock");
            long token = body.i64();
            long age = body.i64();
            uses.add(new LockUse(state, mode, body.text(), token, age));
        }
        return body.end(new LockAnswer(number, uses, more));
    }

    private static <T> T one(T[] all, int ordinal, String what) throws BadFrameException {
        if (ordinal >= all.length) {
            throw new BadFrameException("no " + what + " has the number " + ordinal);
        }
        return all[ordinal];
    }
}
