// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks mutual exclusion: a writer holds a lock alone, across all compute nodes. */
final class ExclusionChecker {
    private final Map<String, List<CheckedHold>> held = new LinkedHashMap<>();

    /** A hold begins, or becomes exclusive. */
    void begins(CheckedHold fresh) {
        List<CheckedHold> others = held.computeIfAbsent(fresh.name(), name -> new ArrayList<>());
        for (CheckedHold other : others) {
            if (other != fresh && (other.isExclusive() || fresh.isExclusive()) && other.counts() && fresh.counts()) {
                throw new Violation("exclusion", fresh + " beside " + other);
            }
        }
        if (!others.contains(fresh)) {
            others.add(fresh);
        }
    }

    /** A hold ends. */
    void ends(CheckedHold hold) {
        held.getOrDefault(hold.name(), List.of()).remove(hold);
    }
}
