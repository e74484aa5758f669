// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Plays a history that real processes recorded to the checkers that simulated runs are watched with. */
public final class RecordedHistory {
    private RecordedHistory() {}

    private record Moment(long at, boolean begins, RecordedHold hold) {
        /**
         * Order among what is of one and the same time: holds that only touch do not overlap, so ends come first and beginnings
         * last; a hold of no length begins and ends in between.
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
     * @param holds of all processes, in any order
     * @throws Violation if a property did not hold
     */
    public static void check(List<RecordedHold> holds) {
        List<Moment> moments = new ArrayList<>(2 * holds.size());
        for (RecordedHold hold : holds) {
            moments.add(new Moment(hold.beganAt(), true, hold));
            moments.add(new Moment(hold.endedAt(), false, hold));
        }
        // Stable: of a hold of no length the beginning stays before the end.
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
