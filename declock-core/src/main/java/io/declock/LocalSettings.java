// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;

/**
 * Bounds of the local level: how far callers of this process may pass remote waiters that came before them while those are not known of.
 *
 * @param policy fairness policy
 * @param localHandOverLimit most grants in a row inside this process to callers that a remote waiter may have come before; 0 for
 *     strict arrival order, where the remote queue is looked at before each of them
 * @param localHandOverTime longest run of such grants
 * @param readerPhases how often readers may pass one waiting local writer under {@link FairnessPolicy#PHASE_FAIR}
 */
public record LocalSettings(
        FairnessPolicy policy, int localHandOverLimit, Duration localHandOverTime, int readerPhases) {
    /** As many local grants as one queue index has fencing tokens for: a lock that one process uses then never looks on their account. */
    private static final int TOKENS_OF_ONE_INDEX = 128;

    /** The defaults. */
    public static final LocalSettings DEFAULTS =
            new LocalSettings(FairnessPolicy.TASK_FAIR, TOKENS_OF_ONE_INDEX, Duration.ofMillis(10), 4);
}
