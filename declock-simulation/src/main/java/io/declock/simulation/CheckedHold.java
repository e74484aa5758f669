// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/** One hold, as far as the checkers of exclusion and of fencing tokens need it. */
interface CheckedHold {
    /** Returns the name of the lock. */
    String name();

    /** Returns whether a writer holds it. */
    boolean isExclusive();

    /** Returns the fencing token. */
    long token();

    /** Returns whether the hold still counts. */
    boolean counts();
}
