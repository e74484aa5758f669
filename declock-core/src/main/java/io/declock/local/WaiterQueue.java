// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import org.jspecify.annotations.Nullable;

/** The queue of local waiters of one lock, linked through the waiters so that any of them leaves in O(1). Guarded by the mutex. */
final class WaiterQueue {
    private @Nullable LocalWaiter first;
    private @Nullable LocalWaiter last;
    private int size;
    private int writers;

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        return size;
    }

    int writers() {
        return writers;
    }

    @Nullable
    LocalWaiter first() {
        return first;
    }

    void add(LocalWaiter waiter) {
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
    }

    /** Takes a waiter out; nothing if it is not in. */
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
    }
}
