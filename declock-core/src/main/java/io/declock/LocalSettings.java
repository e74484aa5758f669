// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;

/**
 * Bounds of the local level: how far callers of this process may pass earlier remote waiters that this process does not know of yet.
 *
 * @param policy fairness policy
 * @param localHandOverLimit most consecutive local grants to callers that an unknown remote waiter may have preceded; 0 for strict arrival
 *     order, which READs the remote queue before each of them
 * @param localHandOverTime longest duration of such a run of grants
 * @param readerPhases how often readers may pass one waiting local writer under {@link FairnessPolicy#PHASE_FAIR}
 */
public record LocalSettings(
        FairnessPolicy policy, int localHandOverLimit, Duration localHandOverTime, int readerPhases) {
    /**
     * As many local grants as one queue index has fencing tokens for: a lock that only one process uses then never READs the queue because
     * of this limit.
     */
    private static final int TOKENS_OF_ONE_INDEX = 128;

    /** The defaults. */
    public static final LocalSettings DEFAULTS =
            new LocalSettings(FairnessPolicy.TASK_FAIR, TOKENS_OF_ONE_INDEX, Duration.ofMillis(10), 4);
}
