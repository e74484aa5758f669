// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.LockMode;
import org.jspecify.annotations.Nullable;

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
     * A lock was released after {@code heldNanos}: the last acquisition of its hold was given back.
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

    /**
     * An acquisition of one lock begins, on the calling thread; reentrant ones included.
     *
     * @param name the lock's name, without a namespace
     * @param mode the mode asked for
     * @return is told of the hold that the acquisition begins, or null if nobody wants to know
     */
    default @Nullable Asked asked(String name, LockMode mode) {
        return null;
    }

    /** An acquisition under way. Any thread may call it. */
    @FunctionalInterface
    interface Asked {
        /**
         * The acquisition has begun a hold: it was granted, and not reentrant. Called at most once, after {@link #granted} and before the caller
         * has the lock.
         *
         * @param fencingToken the hold's token at its beginning
         * @return is told of its end, or null if nobody wants to know
         */
        @Nullable
        Held held(long fencingToken);
    }

    /** A hold. One of the methods is called once, on any thread. */
    interface Held {
        /** Its last acquisition was given back. */
        void released();

        /**
         * It was lost.
         *
         * @param why the reason
         */
        void lost(LockLostException why);
    }

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
