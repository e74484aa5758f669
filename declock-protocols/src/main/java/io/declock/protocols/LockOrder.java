// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

import io.declock.LockMode;

/**
 * What a lock promises about the order of its grants. Its clients are in groups. Within a group the lock is granted in the order of arrival, to readers
 * side by side. A client that leads its group, so that it waits for other groups only, is passed over by so many grants to them at most. Immutable.
 */
public interface LockOrder {
    /** What a client does by a change of a word. */
    enum Step {
        /** Nothing that is of importance for the order. */
        NONE,
        /** It takes its place in the order of its group. */
        ARRIVES,
        /** Having arrived, it leads its group. */
        LEADS
    }

    /** A change by which a client arrives. */
    @FunctionalInterface
    interface Arrival {
        /** Returns whether a client arrives by a change of the lock's first word. */
        boolean isArrival(long before, long after);
    }

    /** No order at all: nobody arrives. */
    LockOrder NONE = ofArrival((before, after) -> false);

    /**
     * Returns what a client does by a change of a word of the lock. It is asked for each WRITE and for each atomic that was executed and did not fail.
     *
     * @param word the number of the word in its lock
     */
    Step step(int word, long before, long after);

    /** Returns what a client does by a message that the server receives from it. */
    default Step step(LockMessage toServer) {
        return Step.NONE;
    }

    /** Returns whether a client may be granted a lock without an arrival, because it has kept it. */
    default boolean mayEnterWithoutArrival() {
        return false;
    }

    /**
     * Returns the group of a client.
     *
     * @param local whether it lives with the memory node
     * @param mode what it acquires the lock for
     */
    int group(boolean local, LockMode mode);

    /** Returns how often a client that leads its group is passed over at most. */
    int mostPassedOver();

    /**
     * Returns whether a client may be granted a lock before another one that arrived earlier and still waits, whatever their groups are. This one says yes: the order
     * in the groups, and the bound, are all that is promised.
     */
    default boolean mayPass(Waiter granted, Waiter earlier) {
        return true;
    }

    /** Returns the order of arrival, with all clients in one group. */
    static LockOrder ofArrival(Arrival arrival) {
        return new LockOrder() {
            @Override
            public Step step(int word, long before, long after) {
                return word == 0 && arrival.isArrival(before, after) ? Step.ARRIVES : Step.NONE;
            }

            @Override
            public int group(boolean local, LockMode mode) {
                return 0;
            }

            @Override
            public int mostPassedOver() {
                return 0;
            }
        };
    }
}
