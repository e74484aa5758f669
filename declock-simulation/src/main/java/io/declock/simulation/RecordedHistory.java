// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Checks a history that real processes recorded, with the checkers of simulated runs. */
public final class RecordedHistory {
    private RecordedHistory() {}

    private record Moment(long at, boolean begins, RecordedHold hold) {
        /**
         * Returns the order among moments of the same time: holds that only touch do not overlap, so ends come first and beginnings
         * last; a hold of zero length begins and ends in between.
         */
        int rank() {
            if (hold.beganAt() == hold.endedAt()) {
                return 1;
            }
            return begins ? 2 : 0;
        }
    }

    /**
     * Checks mutual exclusion and the order of fencing tokens.
     *
     * @param holds holds of all processes, in any order
     * @throws Violation if a property did not hold
     */
    public static void check(List<RecordedHold> holds) {
        List<Moment> moments = new ArrayList<>(2 * holds.size());
        for (RecordedHold hold : holds) {
            moments.add(new Moment(hold.beganAt(), true, hold));
            moments.add(new Moment(hold.endedAt(), false, hold));
        }
        // The sort is stable: the beginning of a hold of zero length stays before its end.
        moments.sort(Comparator.comparingLong(Moment::at).thenComparingInt(Moment::rank));
        ExclusionChecker exclusion = new ExclusionChecker();
        TokenChecker tokens = new TokenChecker();
        for (Moment moment : moments) {
            if (moment.begins()) {
                exclusion.begins(moment.hold());
                tokens.begins(moment.hold());
            } else {
                exclusion.ends(moment.hold());
            }
        }
    }
}
