// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.LockRequest;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one observed acquisition: what was asked for, and, once it is over, how it ended. Thread-safe as far as an observation is: its
 * end is set before the observation is stopped.
 */
public final class AcquisitionContext extends Observation.Context {
    private final LockRequest request;
    private volatile @Nullable Outcome outcome;

    /** How an acquisition ended. */
    public enum Outcome {
        /** The locks were granted. */
        GRANTED,
        /** Another owner had one of the locks until the wait time was over. */
        NOT_GRANTED,
        /** A memory node that was needed is unavailable. */
        UNAVAILABLE,
        /** It failed in another way, or the thread was interrupted. */
        FAILED
    }

    /**
     * Makes the context of an acquisition that begins.
     *
     * @param request what is asked for
     */
    public AcquisitionContext(LockRequest request) {
        this.request = request;
    }

    /** {@return names, modes, wait time and ceiling} */
    public LockRequest request() {
        return request;
    }

    /** {@return how it ended, or null while it is under way} */
    public @Nullable Outcome outcome() {
        return outcome;
    }

    void ended(Outcome end) {
        outcome = end;
    }
}
