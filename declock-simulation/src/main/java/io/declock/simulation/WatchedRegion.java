// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.memorynode.Region;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Executes the words of sessions' verbs on a memory node's region, with an observer of changes. */
final class WatchedRegion {
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

        /** Every record was erased with the end of a memory node's life. */
        default void erased(MemoryNodeLife life) {}

        /** The memory node has written a record from the holds that sessions have restored; each of them holds the lock. */
        default void restored(MemoryNodeLife life, long record, Map<SimulatedSession, Boolean> exclusiveBySession) {}

        /** The memory node answers with a record, which may have become another name's. */
        default void resolved(MemoryNodeLife life, long record) {}

        /** The claim to reset a record's lock has passed to a session, or was withdrawn. */
        default void claimChanged(SimulatedSession session, long record, long before, long after) {}

        /** The memory node has given back a position that it kept since a session has ended; null if it should have kept none. */
        default void givenBack(
                MemoryNodeLife life, long record, @Nullable SimulatedSession of, long before, long after) {}

        /** Another word of a record was written: word 1 is the full epoch, the entries begin at word 2. */
        void entryWritten(SimulatedSession session, long record, Purpose purpose, int word, long value);
    }

    private final Region region;
    private final RecordLayout layout;
    private final Observer observer;

    WatchedRegion(Region region, RecordLayout layout, Observer observer) {
        this.region = region;
        this.layout = layout;
        this.observer = observer;
    }

    /** Returns a word, or 0 if no record was ever there. */
    long peek(long address) {
        return region.covers(address, 1) ? region.read(address) : 0;
    }

    /** Changes a word without telling the observer. */
    void poke(long address, long value) {
        region.execute(Verb.WRITE, address, value, 0);
    }

    /** Returns the start of the record that an address belongs to. */
    long recordAt(long address) {
        long start = address - address % layout.strideBytes();
        while (region.recordIndex(start) < 0) {
            start -= Long.BYTES;
        }
        return start;
    }

    /** Executes a verb on one word, and tells the observer what it changed. */
    long execute(SimulatedSession session, Purpose purpose, Verb verb, long address, long operand, long desired) {
        check(address);
        if (verb == Verb.WRITE && recordAt(address) == address) {
            throw new Violation("header", "a WRITE to a header, which only atomics may change");
        }
        long found = region.execute(verb, address, operand, desired);
        if (verb == Verb.WRITE) {
            long record = recordAt(address);
            observer.entryWritten(session, record, purpose, (int) ((address - record) / Long.BYTES), operand);
        } else if (isClaim(address)) {
            if (found == operand && verb == Verb.COMPARE_AND_SWAP) {
                observer.claimChanged(session, recordAt(address), found, desired);
            }
        } else if (verb == Verb.FETCH_AND_ADD) {
            observer.headerChanged(session, address, purpose, found, found + operand);
        } else if (verb == Verb.COMPARE_AND_SWAP && found == operand) {
            observer.headerChanged(session, address, purpose, found, desired);
        }
        return found;
    }

    private boolean isClaim(long address) {
        long record = recordAt(address);
        return address == layout.claim(record);
    }

    private void check(long address) {
        if (!region.covers(address, 1)) {
            throw new Violation("memory", "address " + address + " is not a word of the region");
        }
    }
}
