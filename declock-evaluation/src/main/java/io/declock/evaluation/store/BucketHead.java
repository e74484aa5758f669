// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

/** The head of a bucket as it was read: tag and state of each slot. Not thread-safe. */
final class BucketHead {
    static final int NONE = -1;

    private final StoreLayout layout;
    private final long[] words;

    BucketHead(StoreLayout layout, long[] words) {
        this.layout = layout;
        this.words = words;
    }

    private int find(long tag, int from) {
        for (int i = 0; i < layout.slots(); i++) {
            int slot = from + i & layout.slots() - 1;
            if (tag(slot) == tag) {
                return slot;
            }
        }
        return NONE;
    }

    /** Returns the slot of an object, or {@link #NONE}. */
    int find(long tag) {
        return find(tag, layout.home(tag));
    }

    /** Returns a free slot for an object, its home if that is free, or {@link #NONE}. */
    int free(long tag) {
        return find(0, layout.home(tag));
    }

    long tag(int slot) {
        return words[slot * StoreLayout.HEAD_WORDS];
    }

    long state(int slot) {
        return words[slot * StoreLayout.HEAD_WORDS + 1];
    }

    void put(int slot, long tag, long state) {
        words[slot * StoreLayout.HEAD_WORDS] = tag;
        words[slot * StoreLayout.HEAD_WORDS + 1] = state;
    }
}
