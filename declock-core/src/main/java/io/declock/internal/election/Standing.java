// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import java.time.Duration;

/**
 * Where a candidate stands, for health and metrics.
 *
 * @param role what it does
 * @param term number of the present term, or of the last one it heard of, 0 for none
 * @param serving address of the candidate that serves, as far as this one knows; empty if it does not know
 * @param problem why the engine elects nobody, or why the term was not renewed or ended; empty for none
 * @param promised whether it serves because the other candidates promised not to take over, while the engine is out of reach
 * @param left how long its term lasts without a renewal, zero if it does not serve
 * @param elections how often it was elected
 * @param depositions how often it lost its term
 */
public record Standing(
        Role role,
        long term,
        String serving,
        String problem,
        boolean promised,
        Duration left,
        long elections,
        long depositions) {
    /** What a candidate does. */
    public enum Role {
        /** It serves. */
        SERVING,
        /** Another candidate serves, or none. */
        STANDING_BY,
        /** It has lost its term and does not know who serves. */
        DEPOSED
    }
}
