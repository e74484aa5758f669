// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.shiftlock;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockOrder;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.LockServer;
import io.declock.protocols.LockWorld;
import io.declock.protocols.Waiter;

/** The protocol that the package describes. */
public final class ShiftLock implements LockProtocol {
    /** How many writers follow each other before readers have their turn, in the paper. */
    public static final int WRITERS_IN_A_ROW = 16;

    /** A writer told its predecessor that it follows it; the detail is {@code RelCnt} as it found it. */
    public static final int SUCCESSOR = 1;
    /** A writer passes the lock on; the detail is {@code RelCnt}, its word is made by {@link #turn}. */
    public static final int HANDOVER = 2;
    /** A writer gives the lock to the readers first; the detail is the {@code RelCnt} at which the receiver has it. */
    public static final int MODE_CHANGED = 3;
    /** A client asks the server to recover a lock; the detail is the era. */
    public static final int RECOVER = 4;

    /**
     * What is tuned.
     *
     * @param leaseNanos how long a client holds a lock at most
     * @param writersInARow how many writers follow each other before readers have their turn, at least one
     * @param pauseNanos how long a client pauses before it reads the entry again
     * @param eras how many eras the server has side by side, each for a part of the locks, at least one. Locks of one era are recovered one after the other, which takes a lease each
     */
    public record Settings(long leaseNanos, int writersInARow, long pauseNanos, int eras) {
        /** One era for all locks. */
        public Settings(long leaseNanos, int writersInARow, long pauseNanos) {
            this(leaseNanos, writersInARow, pauseNanos, 1);
        }

        /** Returns the number of the era to which a lock belongs. */
        int eraOf(long lock) {
            return (int) (lock / (Entry.WORDS * Long.BYTES) % eras);
        }
    }

    private final Settings settings;

    /** Makes it. */
    public ShiftLock(Settings settings) {
        this.settings = settings;
    }

    Settings settings() {
        return settings;
    }

    /** Returns the word of a message that passes a lock on: how many writers with the receiver follow each other, and the entry's epoch. */
    static long turn(int row, long epoch) {
        return row | epoch & Entry.EPOCH;
    }

    static int rowOf(long turn) {
        return (int) turn;
    }

    static long epochOf(long turn) {
        return turn & Entry.EPOCH;
    }

    @Override
    public String name() {
        return "ShiftLock";
    }

    @Override
    public int words() {
        return Entry.WORDS;
    }

    @Override
    public boolean isUnused(long[] words) {
        return Entry.tail(words[0]) == 0 && Entry.readers(words[0]) == 0;
    }

    @Override
    public boolean has(LockMode mode) {
        return true;
    }

    @Override
    public LockOrder order() {
        return new Order(settings.writersInARow());
    }

    /**
     * Writers come in their order, and readers side by side. A reader that waits is passed by so many writers in a row, and a writer by readers that some other
     * writer kept waiting together with it.
     */
    private record Order(int writersInARow) implements LockOrder {
        @Override
        public Step step(int word, long before, long after) {
            boolean comes = Entry.readers(after) == Entry.readers(before) + 1
                    || Entry.tail(after) != 0 && Entry.tail(after) != Entry.tail(before);
            return word == 0 && comes ? Step.ARRIVES : Step.NONE;
        }

        @Override
        public int group(boolean local, LockMode mode) {
            return mode.ordinal();
        }

        /** Nobody leads. */
        @Override
        public int mostPassedOver() {
            return 0;
        }

        @Override
        public boolean mayPass(Waiter granted, Waiter earlier) {
            if (granted.mode() == LockMode.READ) {
                return earlier.mode() == LockMode.READ || granted.cameBesideWriter() || granted.writersSince() > 0;
            }
            return earlier.mode() == LockMode.READ && earlier.writersSince() < writersInARow;
        }
    }

    @Override
    public boolean outlivesClients() {
        return true;
    }

    @Override
    public LockClient client(int number, LockWorld world) {
        return new ShiftLockClient(this, number, world);
    }

    @Override
    public LockServer server(LockWorld world) {
        return new ShiftLockServer(settings, world);
    }

    /** The eras. */
    @Override
    public int serverWords() {
        return settings.eras();
    }
}
