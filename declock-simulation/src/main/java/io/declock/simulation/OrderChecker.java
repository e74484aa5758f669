// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import io.declock.protocols.LockMessage;
import io.declock.protocols.LockOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks that locks are granted in the order that their protocol promises. */
final class OrderChecker {
    /** A client that acquires a lock. */
    record Waiter(int client, boolean local, LockMode mode) {
        boolean mayPass(Waiter other) {
            return mode == LockMode.READ && other.mode == LockMode.READ;
        }

        @Override
        public String toString() {
            return "client " + client;
        }
    }

    private static final class Place {
        private final Waiter waiter;
        private final int group;
        /** A writer held the lock, or had not ended its release, when it came. */
        private final boolean besideWriter;
        /** How many writers had been granted the lock when it came. */
        private final int writersBefore;

        private boolean leads;
        private int passedOver;

        Place(Waiter waiter, int group, Writers now) {
            this.waiter = waiter;
            this.group = group;
            this.besideWriter = now.atWork > 0;
            this.writersBefore = now.granted;
        }

        io.declock.protocols.Waiter seenWith(Writers now) {
            return new io.declock.protocols.Waiter(waiter.mode, besideWriter, now.granted - writersBefore);
        }
    }

    private static final class Writers {
        /** Those that hold the lock or have not ended its release. */
        private int atWork;
        /** Those that were granted the lock. */
        private int granted;
    }

    private final LockOrder order;
    /** By lock, those that have arrived and not been granted it, in the order of arrival. */
    private final Map<Long, List<Place>> places = new HashMap<>();

    private final Map<Long, Writers> writers = new HashMap<>();

    OrderChecker(LockOrder order) {
        this.order = order;
    }

    /** A client has changed a word of a lock. */
    void changed(long lock, int word, long before, long after, Waiter by) {
        happened(lock, order.step(word, before, after), by);
    }

    /** The server has received a message. */
    void received(LockMessage toServer, Waiter from) {
        happened(toServer.lock(), order.step(toServer), from);
    }

    private void happened(long lock, LockOrder.Step step, Waiter by) {
        switch (step) {
            case NONE -> {}
            case ARRIVES -> placesAt(lock).add(new Place(by, order.group(by.local(), by.mode()), writersAt(lock)));
            case LEADS -> {
                Place place = placeOf(lock, by);
                if (place != null) {
                    place.leads = true;
                }
            }
        }
    }

    /** A client has been granted a lock. */
    void granted(long lock, Waiter to) {
        if (order != LockOrder.NONE) {
            check(lock, to);
        }
        if (to.mode == LockMode.WRITE) {
            writersAt(lock).granted++;
            writersAt(lock).atWork++;
        }
    }

    /** A client has ended its release. */
    void released(long lock, Waiter by) {
        if (by.mode == LockMode.WRITE) {
            writersAt(lock).atWork--;
        }
    }

    private void check(long lock, Waiter to) {
        Place granted = placeOf(lock, to);
        if (granted == null) {
            if (order.mayEnterWithoutArrival()) {
                return;
            }
            throw new Violation("order", to + " has lock " + lock + " and has not come");
        }
        checkEarlier(lock, granted);
        placesAt(lock).remove(granted);
        for (Place other : placesAt(lock)) {
            if (other.leads && other.group != granted.group && ++other.passedOver > order.mostPassedOver()) {
                throw new Violation(
                        "order", other.waiter + " was passed over " + other.passedOver + " times at lock " + lock);
            }
        }
    }

    private void checkEarlier(long lock, Place granted) {
        Writers now = writersAt(lock);
        for (Place earlier : placesAt(lock)) {
            if (earlier == granted) {
                return;
            }
            if (earlier.group == granted.group && !granted.waiter.mayPass(earlier.waiter)
                    || !order.mayPass(granted.seenWith(now), earlier.seenWith(now))) {
                throw new Violation(
                        "order",
                        granted.waiter + " has lock " + lock + " before " + earlier.waiter + ", which came earlier");
            }
        }
    }

    private Writers writersAt(long lock) {
        return writers.computeIfAbsent(lock, any -> new Writers());
    }

    private List<Place> placesAt(long lock) {
        return places.computeIfAbsent(lock, any -> new ArrayList<>());
    }

    private @Nullable Place placeOf(long lock, Waiter waiter) {
        for (Place place : placesAt(lock)) {
            if (place.waiter.client() == waiter.client()) {
                return place;
            }
        }
        return null;
    }
}
