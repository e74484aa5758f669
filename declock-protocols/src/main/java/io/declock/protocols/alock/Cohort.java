// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.alock;

/** The clients of one locality; the number of a cohort is that of its tail among the words of a lock, and its name as the victim. */
enum Cohort {
    LOCAL,
    REMOTE;

    static Cohort of(boolean local) {
        return local ? LOCAL : REMOTE;
    }

    Cohort other() {
        return this == LOCAL ? REMOTE : LOCAL;
    }
}
