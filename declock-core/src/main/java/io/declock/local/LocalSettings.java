// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import java.time.Duration;

/**
 * Bounds of the local level. The hard bound holds whatever the clocks say.
 *
 * @param policy fairness policy
 * @param localHandOverLimit most grants in a row inside this process once a remote waiter is known
 * @param localHandOverTime longest run of grants inside this process once a remote waiter is known
 * @param readerPhases how often readers may pass one waiting local writer under {@link FairnessPolicy#PHASE_FAIR}
 */
public record LocalSettings(
        FairnessPolicy policy, int localHandOverLimit, Duration localHandOverTime, int readerPhases) {
    /** The defaults. */
    public static final LocalSettings DEFAULTS =
            new LocalSettings(FairnessPolicy.TASK_FAIR, 64, Duration.ofMillis(10), 4);
}
