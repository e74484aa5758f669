// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.internal.monitor.StripedSums;

/** How many callers of a compute node hold and wait, and whether it accepts more of them. Thread-safe. */
final class Callers {
    private static final int HELD = 0;
    private static final int WAITING = 1;

    private final StripedSums present = new StripedSums(2);
    private volatile boolean accepted = true;

    /** Counts a hold that began (+1) or ended (-1). */
    void held(int change) {
        present.add(HELD, change);
    }

    /** Counts a caller that began (+1) or ended (-1) to wait. */
    void waiting(int change) {
        present.add(WAITING, change);
    }

    long heldNow() {
        return present.sum(HELD);
    }

    long waitingNow() {
        return present.sum(WAITING);
    }

    boolean areAccepted() {
        return accepted;
    }

    void acceptNoMore() {
        accepted = false;
    }
}
