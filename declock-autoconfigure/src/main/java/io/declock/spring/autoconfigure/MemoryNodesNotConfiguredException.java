// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.DecLockException;

/** This application needs configured memory nodes, and none is configured. */
final class MemoryNodesNotConfiguredException extends DecLockException {
    private static final long serialVersionUID = 1L;

    private final String why;
    private final String mend;

    /**
     * Makes one.
     *
     * @param why a sentence that says why memory nodes are needed
     * @param mend what to do, in full sentences
     */
    MemoryNodesNotConfiguredException(String why, String mend) {
        super("No memory nodes are configured. " + why + " " + mend);
        this.why = why;
        this.mend = mend;
    }

    String why() {
        return why;
    }

    String mend() {
        return mend;
    }
}
