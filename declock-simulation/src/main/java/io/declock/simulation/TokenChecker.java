// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.HashMap;
import java.util.Map;

/**
 * Checks fencing tokens: a writer's token is higher than every token granted before, a reader's is not lower than the last writer's. So
 * a resource that stores writers' tokens refuses only late holders.
 */
final class TokenChecker {
    private static final class Seen {
        private long writer;
        private long any;
    }

    private final Map<String, Seen> byName = new HashMap<>();

    /** A hold begins, or becomes exclusive. */
    void begins(CheckedHold hold) {
        Seen seen = byName.computeIfAbsent(hold.name(), name -> new Seen());
        long token = hold.token();
        if (token <= 0) {
            throw new Violation("token", "not positive: " + hold);
        }
        if (hold.isExclusive() ? token <= seen.any : token < seen.writer) {
            throw new Violation(
                    "token",
                    hold + " after a writer's " + Long.toHexString(seen.writer) + " and a highest of "
                            + Long.toHexString(seen.any));
        }
        seen.any = Math.max(seen.any, token);
        if (hold.isExclusive()) {
            seen.writer = token;
        }
    }
}
