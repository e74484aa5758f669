// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import java.util.Arrays;

/** The words of the memory node's region, with an observer of changes. */
final class SimulatedMemory {
    /** Observes every change of a header, after it was made. */
    interface Observer {
        void headerChanged(SimulatedSession session, long record, Purpose purpose, long before, long after);

        /** Observes nothing. */
        Observer NONE = new Observer() {
            @Override
            public void headerChanged(
                    SimulatedSession session, long record, Purpose purpose, long before, long after) {}

            @Override
            public void entryWritten(SimulatedSession session, long record, Purpose purpose, int word, long value) {}
        };

        /** Every record was erased. */
        default void erased() {}

        /** Another word of a record was written: word 1 is the full epoch, the entries begin at word 2. */
        void entryWritten(SimulatedSession session, long record, Purpose purpose, int word, long value);
    }

    private final RecordLayout layout;
    private final Observer observer;
    private long[] words = new long[64];
    private int records;

    SimulatedMemory(RecordLayout layout, Observer observer) {
        this.layout = layout;
        this.observer = observer;
    }

    RecordLayout layout() {
        return layout;
    }

    int records() {
        return records;
    }

    /** Returns the offset of a record by its number. */
    long record(int number) {
        return (long) number * layout.strideBytes();
    }

    /** Makes a fresh record. */
    long allocate(long epoch, int head) {
        long record = record(records++);
        int end = (int) ((record + layout.strideBytes()) / Long.BYTES);
        if (end > words.length) {
            words = Arrays.copyOf(words, Math.max(end, words.length * 2));
        }
        Arrays.fill(words, index(record), end, QueueEntry.INITIAL);
        words[index(layout.header(record))] = LockHeader.pack(epoch, head, 0, 0, 0);
        words[index(layout.epoch(record))] = epoch;
        return record;
    }

    long read(long address) {
        return words[index(address)];
    }

    void write(SimulatedSession session, Purpose purpose, long address, long value) {
        long offset = address % layout.strideBytes();
        if (offset == 0) {
            throw new Violation("header", "a WRITE to a header, which only atomics may change");
        }
        words[index(address)] = value;
        observer.entryWritten(session, address - offset, purpose, (int) (offset / Long.BYTES), value);
    }

    /** Changes a word without telling the observer. */
    void poke(long address, long value) {
        words[index(address)] = value;
    }

    long fetchAndAdd(SimulatedSession session, Purpose purpose, long address, long addend) {
        long found = words[index(address)];
        words[index(address)] = found + addend;
        observer.headerChanged(session, address, purpose, found, found + addend);
        return found;
    }

    long compareAndSwap(SimulatedSession session, Purpose purpose, long address, long expected, long desired) {
        long found = words[index(address)];
        if (found == expected) {
            words[index(address)] = desired;
            observer.headerChanged(session, address, purpose, found, desired);
        }
        return found;
    }

    private int index(long address) {
        if (address < 0 || address % Long.BYTES != 0 || address / Long.BYTES >= words.length) {
            throw new Violation("memory", "address " + address + " is not a word of the region");
        }
        return (int) (address / Long.BYTES);
    }
}
