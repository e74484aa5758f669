// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.GrantKind;
import io.declock.LockMode;

/**
 * Observes each grant, release and loss, with the lock's name. A name is no tag for a metric: there may be millions. Called on the caller's thread, or the fabric's for asynchronous grants; must be quick and must not
 * throw.
 */
public interface LockObserver {
    /** An observer that does nothing. */
    LockObserver NONE = new LockObserver() {};

    /**
     * A lock was granted after {@code waitNanos}. Reentrant acquisitions are not reported.
     *
     * @param name the lock's name, without a namespace
     * @param mode the mode granted
     * @param kind how the grant came about
     * @param waitNanos how long the caller waited
     */
    default void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {}

    /**
     * A lock was released after {@code heldNanos}.
     *
     * @param name the lock's name, without a namespace
     * @param mode the mode held
     * @param heldNanos how long it was held
     */
    default void released(String name, LockMode mode, long heldNanos) {}

    /**
     * An acquisition ended without a grant.
     *
     * @param name the lock's name, without a namespace
     * @param mode the mode asked for
     * @param outcome why
     * @param waitNanos how long the caller waited
     */
    default void notGranted(String name, LockMode mode, Outcome outcome, long waitNanos) {}

    /**
     * A hold was lost.
     *
     * @param name the lock's name, without a namespace
     * @param mode the mode held
     */
    default void lost(String name, LockMode mode) {}

    /** Why an acquisition ended without a grant. */
    enum Outcome {
        /** The wait time ran out, or the request allowed no waiting and the lock was busy. */
        TIMED_OUT,
        /** The caller was interrupted or cancelled. */
        CANCELLED,
        /** The memory node was unavailable or refused. */
        UNAVAILABLE,
        /** The owner would have waited for itself, or had lost the lock and not released it since. */
        REFUSED
    }
}
