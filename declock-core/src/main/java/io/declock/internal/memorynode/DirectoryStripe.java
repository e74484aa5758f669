// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One part of the {@link Directory}: an open-addressing table with linear probing. A slot is one long, the name's hash above the record's
 * index plus one; 0 is empty. Every method is called with {@link #lock} held.
 */
final class DirectoryStripe {
    private static final int FIRST_SLOTS = 16;

    final ReentrantLock lock = new ReentrantLock();
    private final Names names;

    @GuardedBy("lock")
    private long[] slots = new long[FIRST_SLOTS];

    @GuardedBy("lock")
    private int size;

    DirectoryStripe(Names names) {
        this.names = names;
    }

    /** Returns the record of the name, or -1. */
    @GuardedBy("lock")
    int find(byte[] name, int hash) {
        int mask = slots.length - 1;
        for (int i = hash & mask; slots[i] != 0; i = i + 1 & mask) {
            if (hashOf(slots[i]) == hash && names.isNamed(recordOf(slots[i]), name)) {
                return recordOf(slots[i]);
            }
        }
        return -1;
    }

    /** Adds a name that is not in the table yet. */
    @GuardedBy("lock")
    void add(int hash, int record) {
        if ((size + 1) * 3L > slots.length * 2L) {
            grow();
        }
        insert(slots, (long) hash << 32 | record + 1);
        size++;
    }

    @GuardedBy("lock")
    private void grow() {
        long[] larger = new long[slots.length * 2];
        for (long slot : slots) {
            if (slot != 0) {
                insert(larger, slot);
            }
        }
        slots = larger;
    }

    private static void insert(long[] table, long slot) {
        int mask = table.length - 1;
        int i = hashOf(slot) & mask;
        while (table[i] != 0) {
            i = i + 1 & mask;
        }
        table[i] = slot;
    }

    /** Removes the name of a record; returns whether it was in the table. */
    @GuardedBy("lock")
    boolean remove(int hash, int record) {
        int mask = slots.length - 1;
        for (int i = hash & mask; slots[i] != 0; i = i + 1 & mask) {
            if (recordOf(slots[i]) == record) {
                closeGap(i, mask);
                size--;
                return true;
            }
        }
        return false;
    }

    /** Moves later members of the probe sequence up, so that no search stops at the gap before it finds them. */
    @GuardedBy("lock")
    private void closeGap(int emptied, int mask) {
        int gap = emptied;
        for (int i = gap + 1 & mask; slots[i] != 0; i = i + 1 & mask) {
            int home = hashOf(slots[i]) & mask;
            boolean mayMove = (i - home & mask) >= (i - gap & mask);
            if (mayMove) {
                slots[gap] = slots[i];
                gap = i;
            }
        }
        slots[gap] = 0;
    }

    private static int hashOf(long slot) {
        return (int) (slot >>> 32);
    }

    private static int recordOf(long slot) {
        return (int) slot - 1;
    }
}
