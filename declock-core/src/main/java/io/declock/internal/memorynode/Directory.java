// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.nio.ByteBuffer;

/**
 * Maps full names (namespace included) to records. A name has at most one record and a record at most one name. Each name costs about 20
 * bytes and the name's array. Thread-safe: names are spread over stripes with a lock each, and a lock is held for one table access only.
 */
final class Directory {
    /** Result of {@link #resolve} when every record has a name. */
    static final int FULL = RecordAllocator.NONE;
    /** Result of {@link #resolve} when the quota does not allow another name. */
    static final int OVER_QUOTA = -2;

    /** No text in UTF-8 has this byte. */
    private static final byte DETACHED = (byte) 0xFF;

    private static final int STRIPE_BITS = 6;
    private static final int STRIPES = 1 << STRIPE_BITS;

    private final RecordAllocator allocator;
    private final Names names;
    private final DirectoryStripe[] stripes = new DirectoryStripe[STRIPES];
    private final RecordQuota nobody = new RecordQuota(Integer.MAX_VALUE);
    private final long seed;

    /**
     * Makes an empty directory.
     *
     * @param seed seed of the names' hashes, random so that no client can choose names that collide
     */
    Directory(RecordAllocator allocator, long seed) {
        this.allocator = allocator;
        this.names = new Names(allocator.total());
        this.seed = seed;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new DirectoryStripe(names);
        }
    }

    /**
     * Returns the record of the name, allocating one if it has none, or {@link #FULL} or {@link #OVER_QUOTA}.
     *
     * @param quota charged if the name is new
     * @throws OutOfMemoryError if there is no memory for the record; then nothing has changed
     */
    int resolve(byte[] name, RecordQuota quota) {
        long hash = hash(name);
        DirectoryStripe stripe = stripe(hash);
        stripe.lock.lock();
        try {
            int found = stripe.find(name, (int) hash);
            if (found >= 0) {
                return found;
            }
            if (!quota.take()) {
                return allocator.inUse() < allocator.total() ? OVER_QUOTA : FULL;
            }
            int record = allocateCharged(quota);
            if (record != FULL) {
                names.set(record, name, quota);
                stripe.add((int) hash, record);
            }
            return record;
        } finally {
            stripe.lock.unlock();
        }
    }

    private int allocateCharged(RecordQuota quota) {
        int record = FULL;
        try {
            record = allocator.allocate();
            return record;
        } finally {
            if (record == FULL) {
                quota.giveBack();
            }
        }
    }

    /** Returns the record of the name, or -1. */
    int find(byte[] name) {
        long hash = hash(name);
        DirectoryStripe stripe = stripe(hash);
        stripe.lock.lock();
        try {
            return stripe.find(name, (int) hash);
        } finally {
            stripe.lock.unlock();
        }
    }

    /** Removes the name of a record and frees the record. */
    void forget(int record) {
        byte[] name = names.get(record);
        if (name == null) {
            return;
        }
        long hash = hash(name);
        DirectoryStripe stripe = stripe(hash);
        stripe.lock.lock();
        try {
            if (stripe.remove((int) hash, record)) {
                names.clear(record);
                allocator.free(record);
            }
        } finally {
            stripe.lock.unlock();
        }
    }

    /**
     * Takes a record from its name without freeing it, because compute nodes may still know it. It gets a name that nobody asks for, so that
     * it is reclaimed once nobody uses it.
     */
    void detach(int record) {
        byte[] name = names.get(record);
        if (name == null || isDetached(name)) {
            return;
        }
        if (takeOff(name, record)) {
            byte[] other = ByteBuffer.allocate(1 + Integer.BYTES)
                    .put(DETACHED)
                    .putInt(record)
                    .array();
            long hash = hash(other);
            DirectoryStripe stripe = stripe(hash);
            stripe.lock.lock();
            try {
                names.set(record, other, nobody);
                stripe.add((int) hash, record);
            } finally {
                stripe.lock.unlock();
            }
        }
    }

    private boolean takeOff(byte[] name, int record) {
        long hash = hash(name);
        DirectoryStripe stripe = stripe(hash);
        stripe.lock.lock();
        try {
            if (!stripe.remove((int) hash, record)) {
                return false;
            }
            names.clear(record);
            return true;
        } finally {
            stripe.lock.unlock();
        }
    }

    /** Returns whether a name is the one of a record that was {@linkplain #detach detached}. */
    static boolean isDetached(byte[] name) {
        return name.length > 0 && name[0] == DETACHED;
    }

    Names names() {
        return names;
    }

    private DirectoryStripe stripe(long hash) {
        return stripes[(int) (hash >>> Long.SIZE - STRIPE_BITS)];
    }

    private long hash(byte[] name) {
        long h = seed ^ name.length;
        for (byte b : name) {
            h = (h ^ b) * 0x9E3779B97F4A7C15L;
            h ^= h >>> 29;
        }
        h *= 0xBF58476D1CE4E5B9L;
        return h ^ h >>> 32;
    }
}
