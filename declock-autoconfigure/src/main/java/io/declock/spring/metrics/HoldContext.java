// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.LockMode;
import io.micrometer.observation.Observation;

/** What is known of one observed hold of one lock. Immutable, but for what an observation adds. */
public final class HoldContext extends Observation.Context {
    private final String lock;
    private final LockMode mode;
    private final long fencingToken;

    /**
     * Makes the context of a hold that begins.
     *
     * @param lock the lock's name, without a namespace
     * @param mode the mode granted
     * @param fencingToken the hold's token at its beginning
     */
    public HoldContext(String lock, LockMode mode, long fencingToken) {
        this.lock = lock;
        this.mode = mode;
        this.fencingToken = fencingToken;
    }

    /** {@return the lock's name, without a namespace} */
    public String lock() {
        return lock;
    }

    /** {@return the mode in which the hold began} */
    public LockMode mode() {
        return mode;
    }

    /** {@return the hold's token at its beginning} */
    public long fencingToken() {
        return fencingToken;
    }
}
