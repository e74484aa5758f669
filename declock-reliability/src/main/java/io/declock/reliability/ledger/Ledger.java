// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.ledger;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One process's record of its critical sections, in a file mapped into memory: the data written survives even if the process is killed in
 * the next moment. Times come from the machine's monotonic clock, which all its processes share. Thread-safe.
 */
public final class Ledger {
    static final int SLOT_BYTES = 64;
    static final int STATE = 0;
    static final int TOKEN = 8;
    static final int ASKED = 16;
    static final int ENTERED = 24;
    static final int VALID = 32;
    static final int LOCK_AND_MODE = 40;
    static final int OWNER = 48;

    static final long FREE = 0;
    static final long INSIDE = 1;
    static final long RELEASED = 2;
    static final long LOST = 3;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final ByteBuffer slots;
    private final int count;
    private final AtomicInteger next = new AtomicInteger();

    private Ledger(ByteBuffer slots) {
        this.slots = slots;
        this.count = slots.capacity() / SLOT_BYTES;
    }

    /** Opens a new ledger with room for {@code sections} critical sections. */
    public static Ledger create(Path file, int sections) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Ledger(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) sections * SLOT_BYTES));
        }
    }

    /** Returns whether there is room for another section. */
    public boolean hasRoom() {
        return next.get() < count;
    }

    /**
     * Records that a critical section was entered.
     *
     * @param asked when the lock was requested
     * @param entered a moment at which the lock was certainly held
     * @return the section
     */
    public Section enter(int lock, boolean exclusive, long token, int owner, long asked, long entered) {
        int at = next.getAndIncrement();
        if (at >= count) {
            throw new IllegalStateException("the ledger's " + count + " sections are used up");
        }
        Section section = new Section(at * SLOT_BYTES);
        section.set(TOKEN, token);
        section.set(ASKED, asked);
        section.set(ENTERED, entered);
        section.set(VALID, entered);
        section.set(LOCK_AND_MODE, 2L * lock + (exclusive ? 1 : 0));
        section.set(OWNER, owner);
        section.set(STATE, INSIDE);
        return section;
    }

    /** One critical section. */
    public final class Section {
        private final int offset;

        private Section(int offset) {
            this.offset = offset;
        }

        private void set(int field, long value) {
            LONG.setVolatile(slots, offset + field, value);
        }

        /** Records that the lock was certainly still held at that moment. */
        public void validAt(long nanos) {
            set(VALID, nanos);
        }

        /** Records that the section was left, with the lock held or lost. */
        public void left(boolean lost) {
            set(STATE, lost ? LOST : RELEASED);
        }
    }
}
