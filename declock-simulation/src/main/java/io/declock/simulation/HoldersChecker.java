// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks that a writer holds a lock alone. Locks and clients are known by numbers. A hold does not count any more when its lease is over. */
final class HoldersChecker {
    private static final int NOBODY = -1;

    private record Hold(int client, LockMode mode, long until) {}

    private final Map<Long, List<Hold>> holders = new HashMap<>();

    /**
     * A client holds a lock from now on.
     *
     * @param now the present time
     * @param until when its lease ends, {@link Long#MAX_VALUE} without one
     */
    void entered(int client, long lock, LockMode mode, long now, long until) {
        List<Hold> present = holders.computeIfAbsent(lock, any -> new ArrayList<>(1));
        if (!present.isEmpty()) {
            present.removeIf(hold -> hold.until <= now);
        }
        if (!present.isEmpty() && (mode == LockMode.WRITE || present.get(0).mode == LockMode.WRITE)) {
            boolean written = present.get(0).mode == LockMode.WRITE;
            throw new Violation(
                    "exclusion",
                    "client " + client + " has lock " + lock + " to " + mode + " beside writer "
                            + (written ? present.get(0).client : NOBODY) + " and " + (written ? 0 : present.size())
                            + " readers");
        }
        present.add(new Hold(client, mode, until));
    }

    /**
     * A client gives a lock back, or leaves it behind.
     *
     * @param lapsed whether its lease was over, so that the hold may have ceased to count
     */
    void leaves(int client, long lock, LockMode mode, boolean lapsed) {
        List<Hold> present = holders.getOrDefault(lock, List.of());
        for (int i = 0; i < present.size(); i++) {
            Hold hold = present.get(i);
            if (hold.client == client && hold.mode == mode) {
                present.remove(i);
                if (present.isEmpty()) {
                    holders.remove(lock);
                }
                return;
            }
        }
        if (!lapsed) {
            throw new Violation(
                    "exclusion", "client " + client + " releases lock " + lock + ", which it does not hold");
        }
    }
}
