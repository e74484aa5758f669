// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.protocols.application.ApplicationWorld;
import java.util.Queue;

/** A world without time and chance, in which what happens later waits until a test runs it. */
abstract class StillWorld implements ApplicationWorld {
    final Queue<Runnable> later;

    /**
     * Makes it.
     *
     * @param later where what happens later waits
     */
    StillWorld(Queue<Runnable> later) {
        this.later = later;
    }

    @Override
    public long address(long word) {
        return word * Long.BYTES;
    }

    @Override
    public long now() {
        return 0;
    }

    @Override
    public void after(long nanos, Runnable event) {
        later.add(event);
    }

    @Override
    public long below(long bound) {
        return 0;
    }

    @Override
    public void done(int kind, long since) {}
}
