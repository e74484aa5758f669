// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The queue of local waiters of one lock, linked through the waiters so that each of them leaves in O(1). Guarded by the lock's mutex. */
final class WaiterQueue {
    private @Nullable LocalWaiter first;
    private @Nullable LocalWaiter last;
    private int size;
    private int writers;
    private int tries;
    /**
     * The latest waiter of each explicit owner; null until one arrives while others wait, because most queues are empty or hold only
     * threads.
     */
    private @Nullable Map<Object, LocalWaiter> byOwner;

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        return size;
    }

    int writers() {
        return writers;
    }

    /** Returns the number of callers that must not wait, except for an operation that is under way. */
    int tries() {
        return tries;
    }

    @Nullable
    LocalWaiter first() {
        return first;
    }

    /** Returns a waiter of this owner, which is not a thread, or null. */
    @Nullable
    LocalWaiter of(Object owner) {
        return byOwner == null ? null : byOwner.get(owner);
    }

    void add(LocalWaiter waiter) {
        if (first != null && waiter.hasExplicitOwner()) {
            remember(waiter);
        }
        LocalWaiter tail = last;
        waiter.previous = tail;
        waiter.next = null;
        waiter.queued = true;
        if (tail == null) {
            first = waiter;
        } else {
            tail.next = waiter;
        }
        last = waiter;
        size++;
        writers += waiter.isExclusive() ? 1 : 0;
        tries += waiter.noWait ? 1 : 0;
    }

    private void remember(LocalWaiter waiter) {
        Map<Object, LocalWaiter> known = byOwner;
        if (known == null) {
            known = new IdentityHashMap<>();
            byOwner = known;
            for (LocalWaiter before = first; before != null; before = before.next) {
                if (before.hasExplicitOwner()) {
                    before.sibling = known.put(before.owner, before);
                }
            }
        }
        waiter.sibling = known.put(waiter.owner, waiter);
    }

    private void forget(LocalWaiter waiter) {
        Map<Object, LocalWaiter> known = byOwner;
        if (known == null || !waiter.hasExplicitOwner()) {
            return;
        }
        LocalWaiter latest = known.get(waiter.owner);
        if (latest != waiter) {
            for (LocalWaiter later = latest; later != null; later = later.sibling) {
                if (later.sibling == waiter) {
                    later.sibling = waiter.sibling;
                }
            }
        } else if (waiter.sibling == null) {
            known.remove(waiter.owner);
        } else {
            known.put(waiter.owner, waiter.sibling);
        }
        waiter.sibling = null;
        if (size == 0) {
            byOwner = null;
        }
    }

    /** Removes a waiter. Does nothing if it is not in the queue. */
    void remove(LocalWaiter waiter) {
        if (!waiter.queued) {
            return;
        }
        LocalWaiter before = waiter.previous;
        LocalWaiter after = waiter.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        waiter.previous = null;
        waiter.next = null;
        waiter.queued = false;
        size--;
        writers -= waiter.isExclusive() ? 1 : 0;
        tries -= waiter.noWait ? 1 : 0;
        forget(waiter);
    }
}
