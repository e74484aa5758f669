// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

/** What the checkers of exclusion and of fencing tokens need to know of one hold. */
interface CheckedHold {
    /** Returns the name of the lock. */
    String name();

    /** Returns whether a writer holds it. */
    boolean isExclusive();

    /** Returns the fencing token. */
    long token();

    /** Returns whether it still counts as held. */
    boolean counts();
}
