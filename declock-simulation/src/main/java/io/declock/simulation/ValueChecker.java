// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the values of locks (rules V1 to V5): a holder sees the last value that was stored before it, or one whose storing was under way when its
 * holder lost the lock; never an older one than was seen before, and never one that was not stored yet when another holder looked.
 */
final class ValueChecker {
    private final Map<String, Known> byName = new HashMap<>();

    /** What is known of one value. Values are numbered in the order in which holders begin to store them. */
    private static final class Known {
        private long last;
        /** The highest number that was seen or stored. */
        private long settled;
        /** The life of the memory node in which that was. */
        private @Nullable MemoryNodeLife life;

        private final Set<Long> underWay = new HashSet<>();
        private final Set<Long> never = new HashSet<>();
    }

    private Known of(HoldRecord hold) {
        return byName.computeIfAbsent(hold.name(), any -> new Known());
    }

    /** A holder begins to store a value. Returns its number. */
    long begins(HoldRecord hold) {
        Known known = of(hold);
        known.underWay.add(++known.last);
        return known.last;
    }

    /** The memory node has it. */
    void stored(HoldRecord hold, MemoryNodeLife life, long number) {
        Known known = of(hold);
        if (known.never.contains(number)) {
            throw new Violation("value", hold + " has stored value " + number + " after another holder had looked");
        }
        known.underWay.remove(number);
        known.settled = Math.max(known.settled, number);
        known.life = life;
    }

    /** A holder sees a value, 0 for none. */
    void sees(HoldRecord hold, MemoryNodeLife life, long number) {
        Known known = of(hold);
        boolean lost = number == 0 && known.life != null && !known.life.isAlive();
        if (number < known.settled && !lost) {
            throw new Violation("value", hold + " sees value " + number + " after " + known.settled);
        }
        if (number > known.last || known.never.contains(number)) {
            throw new Violation(
                    "value", hold + " sees value " + number + ", which was not there for a holder before it");
        }
        known.underWay.stream().filter(other -> other != number).forEach(known.never::add);
        known.underWay.clear();
        if (number > 0) {
            known.settled = number;
            known.life = life;
        }
    }
}
