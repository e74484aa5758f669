// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lost holds of one lock that their owners have not released yet, at most one for each owner. An owner that cannot be reached any
 * more is forgotten, and so is a hold that was acquired by handles only and all of whose handles are gone: nobody could release it
 * (rule O7 of docs/protocol.md). Guarded by the lock's mutex.
 */
final class LostHolds {
    private final Map<Key, Entry> byOwner = new HashMap<>(2);
    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

    /** An owner, compared by identity, that this does not keep from being collected. */
    private static final class Key extends WeakReference<Object> {
        private final int hash;

        Key(Object owner, @Nullable ReferenceQueue<Object> queue) {
            super(owner, queue);
            this.hash = System.identityHashCode(owner);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other || other instanceof Key key && get() != null && get() == key.get();
        }
    }

    /** What an owner lost: kept while a view's unlock() is due, for which nothing else may know the hold. */
    private record Entry(WeakReference<Hold> hold, @Nullable Hold kept) {
        boolean isCollected() {
            return hold.get() == null;
        }
    }

    void add(Object owner, Hold hold) {
        byOwner.put(new Key(owner, collected), new Entry(new WeakReference<>(hold), hold.byView > 0 ? hold : null));
    }

    /** Returns what an owner lost and has not released, or null. */
    @Nullable
    Hold of(Object owner) {
        Key key = new Key(owner, null);
        Entry entry = byOwner.get(key);
        if (entry == null) {
            return null;
        }
        Hold hold = entry.hold.get();
        if (hold == null) {
            byOwner.remove(key);
        }
        return hold;
    }

    /** The owner has released the hold as often as it had acquired it. */
    void remove(Hold hold) {
        byOwner.values().removeIf(entry -> entry.hold.get() == hold);
    }

    /** Returns whether nothing is kept, after forgetting what cannot be released any more. */
    boolean isEmpty() {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            byOwner.remove(gone);
        }
        byOwner.values().removeIf(Entry::isCollected);
        return byOwner.isEmpty();
    }
}
