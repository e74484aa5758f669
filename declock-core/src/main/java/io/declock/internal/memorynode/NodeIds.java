// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.layout.QueueEntry;

/**
 * The free node ids, and the next incarnation of each. An id is assigned again only when a whole lease has passed since its owner
 * ceased to be a member (rule B16). Incarnations of an id strictly increase, also across restarts of the memory node, because they start at the seconds since 2025 and
 * an id is assigned less than once a second. Guarded by the session table's lock.
 */
final class NodeIds {
    private final int most;
    private final boolean[] taken;
    private final int[] lastIncarnation;
    private final long[] freeAt;
    private final boolean[] resting;
    private final int firstIncarnation;

    /**
     * Makes the ids, all free.
     *
     * @param highestIncarnation highest incarnation that a compute node had in a former life, 0 if that is not known
     */
    NodeIds(int count, long secondsSince2025, int highestIncarnation) {
        this.most = count;
        int all = Math.min(count + 1, QueueEntry.MAX_NODE_ID);
        this.taken = new boolean[all + 1];
        this.lastIncarnation = new int[all + 1];
        this.freeAt = new long[all + 1];
        this.resting = new boolean[all + 1];
        this.firstIncarnation =
                Math.max(highestIncarnation + 1, (int) Math.max(1, Math.min(secondsSince2025, Integer.MAX_VALUE / 2)));
    }

    /** Keeps an id for a member of the former life until {@code at}. */
    void keep(int id, long at) {
        if (id <= most) {
            free(id, at);
        }
    }

    /** Takes the id that a process had in the former life; returns whether it was kept for it. */
    boolean takeAgain(int id) {
        if (id < 1 || id > most || taken[id]) {
            return false;
        }
        taken[id] = true;
        return true;
    }

    /** Takes the id that has rested longest, or returns 0 if none may be assigned now. */
    int take(long now) {
        int best = 0;
        for (int id = 1; id <= most; id++) {
            if (taken[id] || (resting[id] && freeAt[id] - now > 0)) {
                continue;
            }
            if (!resting[id]) {
                best = id;
                break;
            }
            if (best == 0 || freeAt[id] - freeAt[best] < 0) {
                best = id;
            }
        }
        taken[best] = best != 0;
        return best;
    }

    /** Takes an id for the memory node itself: one that no compute node gets, unless compute nodes may have all. Returns 0 if there is none. */
    int takeOwn(long now) {
        int own = most + 1;
        if (own >= taken.length) {
            return take(now);
        }
        taken[own] = true;
        return own;
    }

    /** Returns the incarnation for an id just taken. */
    int nextIncarnation(int id) {
        lastIncarnation[id] = Math.max(lastIncarnation[id] + 1, firstIncarnation);
        return lastIncarnation[id];
    }

    /** Frees an id, which may be assigned again from {@code at} on. */
    void free(int id, long at) {
        taken[id] = false;
        resting[id] = true;
        freeAt[id] = at;
    }
}
