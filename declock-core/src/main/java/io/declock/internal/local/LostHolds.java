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
 * The lost holds of one lock that their owners have not released yet, at most one for each owner. A garbage-collected owner is forgotten,
 * and so is a hold that was acquired only by handles which were all collected: no caller could release it (rule O7 of docs/protocol.md). Guarded by the lock's mutex.
 */
final class LostHolds {
    private final Map<Key, Entry> byOwner = new HashMap<>(2);
    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

    /** A weak reference to an owner, compared by identity. */
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

    /**
     * A hold that an owner lost. {@code kept} refers to it strongly while a view's unlock() is due, because no other object may refer to
     * it.
     */
    private record Entry(WeakReference<Hold> hold, @Nullable Hold kept) {
        boolean isCollected() {
            return hold.get() == null;
        }
    }

    void add(Object owner, Hold hold) {
        byOwner.put(new Key(owner, collected), new Entry(new WeakReference<>(hold), hold.byView > 0 ? hold : null));
    }

    /** Returns the hold that an owner lost and has not released, or null. */
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

    /** Forgets a hold that its owner has released as often as it had acquired it. */
    void remove(Hold hold) {
        byOwner.values().removeIf(entry -> entry.hold.get() == hold);
    }

    /** Forgets the holds that cannot be released any more; returns whether none is left. */
    boolean isEmpty() {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            byOwner.remove(gone);
        }
        byOwner.values().removeIf(Entry::isCollected);
        return byOwner.isEmpty();
    }
}
